// Agreement with radon on Python, function by function.
// node bench/radon.js [--radon PROGRAM] [--show 20] DIRECTORY …
import { spawnSync } from 'node:child_process'
import { basename, join, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { createServer } from '@causeway/engine'
import { connect } from '@causeway/engine/testing'
import { toolkit } from '@causeway/packs/toolkit'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { radon: { type: 'string', default: 'radon' }, show: { type: 'string', default: '0' } },
})
if (spawnSync(values.radon, ['--version']).error || positionals.length === 0) {
  console.log('skipped: needs radon (Debian: radon; or --radon PROGRAM) and directories with Python')
  process.exit(0)
}

/** Functions and methods by file and line, closures with what they stand in, as radon counts them. */
function ofRadon(root) {
  const { stdout } = spawnSync(values.radon, ['cc', '-j', root], { encoding: 'utf8', maxBuffer: 1 << 30 })
  const found = []
  for (const [path, blocks] of Object.entries(JSON.parse(stdout))) {
    if (!Array.isArray(blocks)) continue
    for (const { type, name, lineno, endline, complexity } of blocks)
      if (type !== 'class') found.push({ file: relative(root, path), name, start: lineno, end: endline, complexity })
  }
  return found
}

async function ofCauseway(root) {
  const client = connect(createServer({ name: 'bench', version: '1' }).add(toolkit({ roots: [root] })))
  const csv = String(
    await client.call('analyze_complexity', { project_path: root, toolchain: 'python-uv', format: 'csv' }),
  )
  return csv
    .split('\n')
    .slice(1)
    .filter(line => line !== '')
    .map(line => {
      const [file, at, name, cyclomatic] = line.split(',')
      return { file: file.slice(2), line: Number(at), name, cyclomatic: Number(cyclomatic) }
    })
}

/**
 * By Python's own parser, what radon counts besides (`assert` as one whatever is in it, the `else` of loops and of `try`, each loop of a
 * comprehension) and does not (`match`), by function; closures and lambdas may be counted or not.
 */
const DIFFERENCES = `
import ast, json, sys
def decisions(node):
    found = 0
    for n in ast.walk(node):
        if isinstance(n, ast.BoolOp): found += len(n.values) - 1
        if isinstance(n, ast.IfExp): found += 1
        if isinstance(n, ast.comprehension): found += len(n.ifs)
    return found
def more(function):
    base = inner = 0
    for n in ast.walk(function):
        if isinstance(n, ast.Assert): base += 1 - decisions(n)
        if isinstance(n, (ast.For, ast.AsyncFor, ast.While, ast.Try)) and n.orelse: base += 1
        if isinstance(n, ast.comprehension): base += 1
        if isinstance(n, ast.Match): base -= sum(1 for c in n.cases)
        if isinstance(n, ast.Assert): base -= sum(1 for c in ast.walk(n) if isinstance(c, ast.comprehension))
        if isinstance(n, ast.Lambda): inner += 1
    return [base, inner]
result = {}
for path in json.load(sys.stdin):
    try: tree = ast.parse(open(path, encoding="utf8").read())
    except (SyntaxError, ValueError): continue
    for n in ast.walk(tree):
        if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef)): result[f"{path}:{n.lineno}"] = more(n) + [n.end_lineno]
print(json.dumps(result))
`

function differencesIn(paths) {
  const { stdout } = spawnSync('python3', ['-c', DIFFERENCES], {
    input: JSON.stringify(paths),
    encoding: 'utf8',
    maxBuffer: 1 << 30,
  })
  return JSON.parse(stdout)
}

async function compare(root) {
  const ours = await ofCauseway(root)
  const theirs = ofRadon(root)
  const differences = differencesIn([...new Set(theirs.map(({ file }) => join(root, file)))])
  const result = { theirs: theirs.length, found: 0, equal: 0, explained: 0, different: [] }
  for (const f of theirs) {
    const [base, lambdas, end] = differences[`${join(root, f.file)}:${f.start}`] ?? [0, 0, f.end]
    const here = ours.filter(({ file, line }) => file === f.file && line >= f.start && line <= end)
    const own = here.find(({ name }) => name.split('.').at(-1) === f.name)
    if (!own) continue
    result.found += 1
    const closures = here.filter(g => g !== own).reduce((sum, { cyclomatic }) => sum + cyclomatic, 0)
    const [least, most] = [base - closures, base + closures + lambdas]
    const more = f.complexity - own.cyclomatic
    if (more === 0) result.equal += 1
    if (more >= least && more <= most) result.explained += 1
    else result.different.push(`${f.file}:${f.start} ${f.name}: radon ${f.complexity}, ours ${own.cyclomatic}`)
  }
  return result
}

const percent = (part, whole) => `${((100 * part) / whole).toFixed(1)} %`
console.log('| repository | functions (radon) | measured | equal | equal but for what differs |\n|---|---|---|---|---|')
for (const directory of positionals) {
  const root = resolve(directory)
  const { theirs, found, equal, explained, different } = await compare(root)
  const share = [percent(found, theirs), percent(equal, found), percent(explained, found)]
  console.log(`| ${basename(root)} | ${theirs.toLocaleString('en')} | ${share.join(' | ')} |`)
  for (const line of different.slice(0, Number(values.show))) console.log('', line)
}
process.exit(0)
