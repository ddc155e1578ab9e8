// Agreement with ESLint (cyclomatic) and eslint-plugin-sonarjs (cognitive), function by function.
// node bench/eslint.js --modules DIR [--show 20] DIRECTORY ...
// DIR has a node_modules with eslint, eslint-plugin-sonarjs and @typescript-eslint/parser.
import { readFileSync, readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, join, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { createServer } from '@causeway/engine'
import { connect } from '@causeway/engine/testing'
import { toolkit } from '@causeway/packs/toolkit'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { modules: { type: 'string', default: '' }, show: { type: 'string', default: '0' } },
})
if (values.modules === '' || positionals.length === 0) {
  console.log('skipped: needs --modules DIR with eslint, eslint-plugin-sonarjs and @typescript-eslint/parser')
  process.exit(0)
}
const require = createRequire(join(resolve(values.modules), 'package.json'))
const { Linter } = require('eslint')
const { default: plugin, ...rest } = require('eslint-plugin-sonarjs')
const sonarjs = plugin ?? rest
const parser = require('@typescript-eslint/parser')

const linter = new Linter({ configType: 'flat' })
const config = [
  {
    files: ['**/*.{js,cjs,mjs,jsx,ts,cts,mts,tsx}'],
    languageOptions: { parser, parserOptions: { ecmaFeatures: { jsx: true } } },
    plugins: { sonarjs },
    linterOptions: { reportUnusedDisableDirectives: 'off' },
    rules: { complexity: ['error', 0], 'sonarjs/cognitive-complexity': ['error', 0] },
  },
]

/** What both rules say of a file: the line and the number, in the order of the text. */
function linted(file, source) {
  const messages = linter.verify(source, config, { filename: basename(file), allowInlineConfig: false })
  if (messages.some(({ fatal }) => fatal)) return undefined
  const of = (rule, number) =>
    messages
      .filter(({ ruleId, message }) => ruleId === rule && !/^Class (?:field|static)/.test(message))
      .map(({ line, message }) => ({ line, value: Number(number.exec(message)[1]) }))
  return {
    cyclomatic: of('complexity', /complexity of (\d+)/),
    cognitive: of('sonarjs/cognitive-complexity', /from (\d+) to/),
  }
}

const files = root =>
  readdirSync(root, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && /\.[cm]?[jt]sx?$/.test(entry.name) && !entry.name.endsWith('.d.ts'))
    .map(entry => join(entry.parentPath ?? entry.path, entry.name))
    .filter(path => !/node_modules|\/dist\//.test(path))

async function measured(root) {
  const client = connect(createServer({ name: 'bench', version: '1' }).add(toolkit({ roots: [root] })))
  const report = await client.call('analyze_complexity', { project_path: root, toolchain: 'node', format: 'full' })
  return new Map(report.files.map(({ file, functions }) => [file.slice(2), functions]))
}

/** What else each rule counts, or does not: optional chains and default values; `??`, `||` and recursion. */
const DIFFERENCES = {
  cyclomatic: text => count(text, /\?\./g) + count(text, /[\w\]})]\s=\s(?!=)/g),
  cognitive: (text, name) => count(text, /\?\?|\|\|/g) + count(text, new RegExp(`(?<![\\w$])${name}\\(`, 'g')),
}
const count = (text, pattern) => text.match(pattern)?.length ?? 0

/** How many of the numbers are the same, and how many of the others are explained by what differs on purpose. */
function agreement(kind, theirs, ours, lines) {
  const rest = [...ours]
  const take = test => {
    const at = rest.findIndex(test)
    return at >= 0 && rest.splice(at, 1).length === 1
  }
  const isNear = ({ line, value }, own) => {
    const text = lines.slice(own.line - 1, own.end).join('\n')
    const name = own.name.replace(/^.*[.]/, '').replace(/\W/g, '') || '-'
    return own.line === line && Math.abs(own.value - value) <= DIFFERENCES[kind](text, name)
  }
  const others = theirs.filter(({ line, value }) => !take(own => own.line === line && own.value === value))
  const different = others.filter(they => !take(own => isNear(they, own)))
  return { equal: theirs.length - others.length, explained: theirs.length - different.length, different }
}

const totals = []
for (const directory of positionals) {
  const root = resolve(directory)
  const known = await measured(root)
  const sum = { cyclomatic: [0, 0, 0], cognitive: [0, 0, 0] }
  for (const path of files(root)) {
    const file = relative(root, path)
    const functions = known.get(file)
    const source = readFileSync(path, 'utf8')
    const found = functions && linted(path, source)
    if (!found) continue
    const own = (f, value) => ({ name: f.name, line: f.line, end: f.end_line, value })
    const pairs = {
      cyclomatic: functions.map(f => own(f, f.cyclomatic)),
      cognitive: functions.map(f => own(f, f.cognitive)),
    }
    for (const kind of ['cyclomatic', 'cognitive']) {
      const { equal, explained, different } = agreement(kind, found[kind], pairs[kind], source.split('\n'))
      sum[kind][0] += equal
      sum[kind][1] += explained
      sum[kind][2] += found[kind].length
      for (const { line, value } of different.slice(0, Number(values.show))) {
        const others = pairs[kind].filter(pair => pair.line === line).map(pair => pair.value)
        console.log(`${file}:${line} ${kind} ${value}, causeway ${others}`)
      }
    }
  }
  totals.push([
    basename(root),
    ...['cyclomatic', 'cognitive'].flatMap(kind => {
      const [equal, explained, all] = sum[kind]
      return [all, percent(equal, all), percent(explained, all)]
    }),
  ])
}

function percent(part, whole) {
  return whole === 0 ? '-' : `${((100 * part) / whole).toFixed(1)} %`
}

console.log(
  '| repository | functions (ESLint) | cyclomatic equal | … but for what differs | functions above 0 (sonarjs) | cognitive equal | … but for what differs |',
)
console.log('|---|---|---|---|---|---|---|')
for (const row of totals) console.log(`| ${row.join(' | ')} |`)
process.exit(0)
