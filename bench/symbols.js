// Agreement with ctags on definitions, on checkouts of real repositories.
// node bench/symbols.js [--show 20] DIRECTORY ...
import { execFileSync, spawnSync } from 'node:child_process'
import { basename } from 'node:path'
import { parseArgs } from 'node:util'
import { createServer } from '@causeway/engine'
import { connect } from '@causeway/engine/testing'
import { toolkit } from '@causeway/packs/toolkit'
import { expectedOfCtags } from './symbols-differences.js'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { ctags: { type: 'string', default: 'ctags' }, show: { type: 'string', default: '0' } },
})
if (positionals.length === 0 || spawnSync(values.ctags, ['--version']).status !== 0) {
  console.log('skipped: needs universal-ctags (--ctags PROGRAM) and DIRECTORY ..., checkouts of git repositories')
  process.exit(0)
}

// The TypeScript of ctags 5.9 takes words of the language for constants, so bench/references.js compares that with the type checker.
// What is a definition; left out are local names, imports, and data in object literals.
const KINDS = {
  JavaScript: 'fcmCvgGSM',
  Python: 'cfmv',
  Go: 'fctvsimnag',
  Rust: 'nsicfgtvMmeP',
  C: 'defgmstuv',
  'C++': 'defgmstuvcn',
  Java: 'acefgim',
  'C#': 'ceEfgimnpst',
  PHP: 'cdfitn',
  Ruby: 'cfmSCA',
}
// Names that ctags makes up.
const ANONYMOUS = /^(?:Anonymous[A-Z]\w*|__anon)[0-9a-f]+$/
const ENDINGS = /\.(?:[cm]?js|jsx|py|go|rs|c|h|cc|cpp|cxx|hh|hpp|java|cs|php|rb)$/

// Of JavaScript ctags names variables of functions too.
const isLocal = ({ language, kind, pattern }) =>
  language === 'JavaScript' && /^(?:constant|variable)$/.test(kind) && /^\/\^\s/.test(pattern)

function ofCtags(root, files) {
  const kinds = Object.entries(KINDS).map(([language, letters]) => `--kinds-${language}=${letters}`)
  const args = ['--output-format=json', '--fields=+nKzlS', '--languages=' + Object.keys(KINDS).join(','), ...kinds]
  const out = execFileSync(values.ctags, [...args, '-f', '-', '-L', '-'], {
    cwd: root,
    input: files.join('\n'),
    encoding: 'utf8',
    maxBuffer: 1 << 30,
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const tags = out.split('\n').filter(line => line.startsWith('{'))
  return tags
    .map(line => JSON.parse(line))
    .filter(tag => tag._type === 'tag' && !ANONYMOUS.test(tag.name) && !isLocal(tag))
}

// `operator =`, `name=` of an attribute, `Interface.Method` are the same as we spell them.
const spelled = ({ name, kind }) => {
  const bare = name.replace(/^operator (?=\W)/, 'operator')
  return kind === 'accessor' ? bare.replace(/=$/, '') : bare.replace(/^[\w.<>]+\.(?=\w+$)/, '')
}

async function ofCauseway(client, file) {
  try {
    const { content: _, ...page } = (
      await client.request('tools/call', {
        name: 'outline',
        arguments: { path: file, limit: 1000 },
      })
    ).structuredContent
    const found = [...page.definitions]
    for (let { next } = page; next !== undefined;) {
      const more = (
        await client.request('tools/call', {
          name: 'outline',
          arguments: { path: file, limit: 1000, offset: next },
        })
      ).structuredContent
      found.push(...more.definitions)
      next = more.next
    }
    return found
  } catch (error) {
    console.error(`${file}: ${error.message}`)
    return []
  }
}

for (const root of positionals) {
  const listed = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8', maxBuffer: 1 << 28 }).split('\n')
  const files = listed.filter(file => ENDINGS.test(file))
  const tags = ofCtags(root, files)
  const client = connect(createServer({ name: 'bench', version: '1' }).add(toolkit({ roots: [root] })))
  const byFile = new Map()
  for (const tag of tags) byFile.set(tag.path, [...(byFile.get(tag.path) ?? []), tag])
  let [total, same, expected] = [0, 0, 0]
  const missing = []
  for (const [file, wanted] of byFile) {
    const ours = new Set((await ofCauseway(client, file)).map(({ name, line }) => `${line} ${name}`))
    for (const tag of wanted) {
      total += 1
      const isFound = [0, 1, -1].some(by => ours.has(`${tag.line + by} ${spelled(tag)}`))
      const why = isFound ? undefined : expectedOfCtags(tag, { root, ours })
      if (isFound) same += 1
      else if (why) expected += 1
      else missing.push(`${tag.path}:${tag.line} ${tag.language} ${tag.kind} ${tag.name}`)
    }
  }
  client.close()
  const percent = n => `${((100 * n) / Math.max(1, total)).toFixed(1)} %`
  console.log(`| ${basename(root)} | ${total} | ${percent(same)} | ${percent(same + expected)} |`)
  for (const line of missing.slice(0, Number(values.show))) console.log(`  ${line}`)
}
