// Agreement with the type checker of TypeScript on references, and on what a rename changes.
// node bench/references.js [--every 10] [--show 20] TSCONFIG=DIRECTORY ...
import { readFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { createServer } from '@causeway/engine'
import { connect } from '@causeway/engine/testing'
import { toolkit } from '@causeway/packs/toolkit'
import { createEdits } from '@causeway/packs/workstation'
import { API } from 'typescript/unstable/sync'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { every: { type: 'string', default: '10' }, show: { type: 'string', default: '0' } },
})
if (positionals.length === 0) {
  console.log('skipped: needs TSCONFIG=DIRECTORY, such as packages/engine/tsconfig.json=packages/engine/src')
  process.exit(0)
}
const ALIAS = 1 << 21
const SCRIPT = /\.(?:[cm]?ts|tsx)$/
const lines = (text, at) => text.slice(0, at).split('\n').length

// A member of a generic type is another symbol with the same declaration.
const declared = symbol => symbol.declarations?.map(one => `${one.path}:${one.index}`).join() ?? ''
const isSame = (a, b) => a.id === b.id || (declared(a) !== '' && declared(a) === declared(b))

/** Where a type checker says that a name means the same as at one place. */
function truth(checker, texts, { file, at, name }) {
  const meant = (where, positions) => {
    const symbols = checker.getSymbolAtPosition(where, positions)
    return symbols.map(one => (one && one.flags & ALIAS ? checker.getAliasedSymbol(one) : one))
  }
  const [wanted] = meant(file, [at])
  if (!wanted) return undefined
  const found = new Set()
  for (const [other, text] of texts) {
    const places = [...text.matchAll(new RegExp(`(?<![\\w$])${name.replace(/[$#]/g, '\\$&')}(?![\\w$])`, 'g'))]
    if (places.length === 0) continue
    const symbols = meant(
      other,
      places.map(({ index }) => index),
    )
    symbols.forEach((one, i) => {
      if (one && isSame(one, wanted)) found.add(`${other}:${lines(text, places[i].index)}`)
    })
  }
  return found
}

/** What a rename would change, against what it should. */
function verdict(renamed, wanted, root) {
  if (!renamed?.files) return { kind: 'refused' }
  const changed = new Set(renamed.files.flatMap(one => one.lines.map(line => `${join(root, one.path)}:${line}`)))
  const wrong = [...wanted].filter(place => !changed.has(place)).map(place => `not renamed: ${relative(root, place)}`)
  wrong.push(...[...changed].filter(place => !wanted.has(place)).map(place => `renamed: ${relative(root, place)}`))
  return wrong.length === 0 ? { kind: 'exact' } : { kind: 'renamed', wrong }
}

/** Where a name begins that a definition says to be on a line. */
function placeOf(text, name, line) {
  const start =
    text
      .split('\n')
      .slice(0, line - 1)
      .join('\n').length + (line > 1 ? 1 : 0)
  return start + text.slice(start).search(new RegExp(`(?<![\\w$])${name.replace(/\$/g, '\\$')}(?![\\w$])`))
}

const isSample = ({ kind, name }) => kind !== 'import' && /^[\w$]+$/.test(name) && name !== 'constructor'

/** Compare one definition: its references, and what a rename of it would change. */
async function look({ ask, checker, texts, root, sums, shown }, file, { name, line, kind, container }) {
  const at = placeOf(texts.get(file), name, line)
  const wanted = truth(checker, texts, { file, at, name })
  if (!wanted) return
  sums.symbols += 1
  const path = relative(root, file)
  const { references = [] } = (await ask('find_references', { name, limit: 1000 })) ?? {}
  const { places = [] } = (await ask('find_symbol', { name, which: 'definitions', limit: 1000 })) ?? {}
  const ours = new Set([...references, ...places].map(one => `${join(root, one.file)}:${one.line}`))
  const missing = [...wanted].filter(place => !ours.has(place))
  sums.references += wanted.size
  sums.found += wanted.size - missing.length
  for (const place of missing) shown.push(`reference missing: ${name} ${relative(root, place)}`)
  const qualified = container === undefined ? name : `${container}.${name}`
  const args = { name: qualified, path, line, new_name: `${name}Renamed`, dry_run: true }
  const outcome = verdict(await ask('rename_symbol', args), wanted, root)
  sums[outcome.kind] += 1
  if (outcome.kind === 'exact') sums.renamed += 1
  if (outcome.kind === 'renamed') shown.push(`${kind} ${qualified}: ${outcome.wrong.slice(0, 3).join(', ')}`)
}

async function compare(configFile, root) {
  const api = new API({ cwd: process.cwd() })
  const [project] = api.updateSnapshot({ openProjects: [resolve(configFile)] }).getProjects()
  const files = project.program.getSourceFileNames().filter(file => file.startsWith(`${root}/`) && SCRIPT.test(file))
  const texts = new Map(files.map(file => [file, readFileSync(file, 'utf8')]))
  const client = connect(
    createServer({ name: 'bench', version: '1' }).add(toolkit({ roots: [root], edits: createEdits() })),
  )
  const ask = async (name, args) => (await client.request('tools/call', { name, arguments: args })).structuredContent
  const sums = { symbols: 0, references: 0, found: 0, renamed: 0, exact: 0, refused: 0 }
  const shown = []
  let count = 0
  for (const file of texts.keys()) {
    const { definitions = [] } = (await ask('outline', { path: file, limit: 1000 })) ?? {}
    for (const one of definitions.filter(isSample)) {
      if (count++ % Number(values.every) === 0)
        await look({ ask, checker: project.checker, texts, root, sums, shown }, file, one)
    }
  }
  client.close()
  api.close()
  const percent = (part, all) => `${((100 * part) / Math.max(1, all)).toFixed(1)} %`
  console.log(
    `| ${relative(process.cwd(), root)} | ${sums.symbols} | ${sums.references} | ${percent(sums.found, sums.references)} | ` +
      `${sums.renamed} | ${percent(sums.exact, sums.renamed)} | ${sums.refused} |`,
  )
  for (const line of shown.slice(0, Number(values.show))) console.log(`  ${line}`)
}

for (const one of positionals) {
  const [configFile = '', root = ''] = one.split('=')
  await compare(configFile, resolve(root))
}
