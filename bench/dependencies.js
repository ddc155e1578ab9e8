// Agreement of analyze_dependencies with compilers on which file uses which.
// node bench/dependencies.js [--show 20] KIND=DIRECTORY ..., where KIND is typescript, python, go, c or java
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, posix, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { createServer } from '@causeway/engine'
import { connect } from '@causeway/engine/testing'
import { toolkit } from '@causeway/packs/toolkit'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { show: { type: 'string', default: '0' } },
})
if (positionals.length === 0) {
  console.log('skipped: needs KIND=DIRECTORY, such as typescript=. or c=../leveldb')
  process.exit(0)
}
const tsc = fileURLToPath(new URL('../node_modules/.bin/tsc', import.meta.url))

/** Run a program, and take what it writes even if it complains. */
async function output(command, args, { input, ...options } = {}) {
  const stdin = input === undefined ? 'ignore' : 'pipe'
  const child = spawn(command, args, { stdio: [stdin, 'pipe', 'ignore'], ...options })
  let stdout = ''
  child.stdout.setEncoding('utf8').on('data', chunk => (stdout += chunk))
  child.stdin?.end(input)
  await once(child, 'close')
  return stdout
}

/** Every file below a directory with one of some endings. */
function filesIn(root, endings) {
  return readdirSync(root, { recursive: true })
    .map(String)
    .filter(
      file => !/(?:^|\/)(?:node_modules|vendor|\.git)\//.test(file) && endings.some(ending => file.endsWith(ending)),
    )
    .filter(file => statSync(join(root, file)).isFile())
}

const TRACE =
  /^======== (?:Resolving module '(.*)' from '(.*)'|Module name '.*' was (?:successfully resolved to '([^']*)'|not resolved)).*========$/

/** The compiler says of every import what it found. */
async function typescript(root) {
  const stdout = await output(tsc, ['-p', 'tsconfig.json', '--noEmit', '--traceResolution'], { cwd: root })
  const edges = new Set()
  let from = ''
  for (const line of stdout.split('\n')) {
    const [, module, file, to] = TRACE.exec(line) ?? []
    if (module !== undefined) from = file
    if (to !== undefined && !to.includes('/node_modules/')) edges.add(`${relative(root, from)} ${relative(root, to)}`)
  }
  return { edges, files: new Set([...edges].map(edge => edge.split(' ')[0])) }
}

const PYTHON = `
import ast, importlib.machinery, os, sys
root, files = sys.argv[1], sys.stdin.read().split("\\n")
sys.dont_write_bytecode = True
sys.path[:0] = [root, os.path.join(root, "src")]
def find(name):
    path = None
    spec = None
    parts = name.split(".")
    for i in range(len(parts)):
        full = ".".join(parts[: i + 1])
        try:
            spec = importlib.machinery.PathFinder.find_spec(full, path)
        except Exception:
            return None
        if spec is None:
            return None
        path = spec.submodule_search_locations
    return spec
def shown(spec):
    at = spec and spec.origin
    return at if at and at.startswith(root + "/") else None
for file in files:
    inside = file
    for base in ("src/",):
        if inside.startswith(base): inside = inside[len(base):]
    package = os.path.dirname(inside).replace("/", ".")
    try:
        tree = ast.parse(open(os.path.join(root, file)).read())
    except SyntaxError:
        continue
    print(file)
    for node in ast.walk(tree):
        names = []
        if isinstance(node, ast.Import):
            names = [shown(find(a.name)) for a in node.names]
        elif isinstance(node, ast.ImportFrom):
            up = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            module = ".".join(up + ([node.module] if node.module else []))
            names = [shown(find(module + "." + a.name)) or shown(find(module)) for a in node.names]
        for name in names:
            if name: print(file + " " + os.path.relpath(name, root))
`

/** Python itself finds the modules that its parser sees. */
async function python(root) {
  const files = filesIn(root, ['.py'])
  const stdout = await output('python3', ['-c', PYTHON, root], { input: files.join('\n') })
  const lines = stdout.trim().split('\n')
  return {
    edges: new Set(lines.filter(line => line.includes(' '))),
    files: new Set(lines.filter(line => !line.includes(' '))),
  }
}

/** The go command says which packages a package uses; files are taken together by folder. */
async function go(root) {
  const to = mkdtempSync(join(tmpdir(), 'causeway-bench-'))
  // An older go reads the file but for the version.
  const text = readFileSync(join(root, 'go.mod'), 'utf8')
    .replace(/^go .*$/m, 'go 1.19')
    .replace(/^toolchain .*$/m, '')
  writeFileSync(join(to, 'go.mod'), text)
  const env = { ...process.env, GOFLAGS: '-mod=mod', GOPROXY: 'off' }
  const stdout = await output('go', ['list', '-e', `-modfile=${join(to, 'go.mod')}`, '-json', './...'], {
    cwd: root,
    env,
  })
  rmSync(to, { recursive: true })
  const packages = JSON.parse(`[${stdout.replace(/^\}\n\{/gm, '},{')}]`)
  const [, own = ''] = /^module (\S+)/m.exec(text) ?? []
  const folders = new Map(packages.map(one => [one.ImportPath, relative(root, one.Dir) || '.']))
  const edges = new Set()
  for (const { ImportPath: name, Imports = [], TestImports = [], XTestImports = [] } of packages) {
    for (const used of [...Imports, ...TestImports, ...XTestImports])
      if (used.startsWith(`${own}/`) || used === own)
        edges.add(`${folders.get(name)} ${used.slice(own.length + 1) || '.'}`)
  }
  return { edges, files: new Set(folders.values()), byFolder: true }
}

/** The preprocessor says what it opens, for each file on its own. */
async function c(root) {
  const files = filesIn(root, ['.c', '.cc', '.cpp', '.h', '.hpp'])
  const edges = new Set()
  const whole = new Set()
  for (const file of files) {
    const language = file.endsWith('.c') ? 'c' : 'c++'
    const search = ['-x', language, '-I.', '-Iinclude', '-Isrc']
    const stdout = await output('g++', [...search, '-E', '-dI', file], { cwd: root })
    // Where a header is missing it stops, and writes no rule.
    if ((await output('g++', [...search, '-MM', file], { cwd: root })) !== '') whole.add(file)
    const rule = await output('g++', [...search, '-MM', '-MG', file], { cwd: root })
    const opened = rule
      .split(/[\s\\]+/)
      .slice(2)
      .map(path => relative(root, resolve(root, path)))
    let at = ''
    for (const [, marked, path] of stdout.matchAll(/^# \d+ "([^"]*)"|^# ?include [<"]([^>"]+)[>"]/gm)) {
      at = marked ?? at
      const to =
        path !== undefined &&
        at === file &&
        opened.find(one => `/${one}`.endsWith(`/${posix.normalize(path).replace(/^(?:\.\.\/)+/, '')}`))
      if (to && existsSync(join(root, to))) edges.add(`${file} ${to}`)
    }
  }
  return { edges, files: whole, mayHaveMore: true }
}

/** Annotations of others that are not here, without meaning. */
function stubs(root, sources, to) {
  const texts = sources.map(file => readFileSync(join(root, file), 'utf8'))
  const named = new Set(
    texts.flatMap(text =>
      [...text.matchAll(/^import ([\w.]+)\.(\w+);/gm)].map(([, space, name]) => `${space} ${name}`),
    ),
  )
  const ours = new Set(texts.map(text => /^package ([\w.]+);/m.exec(text)?.[1]))
  return [...named].flatMap(one => {
    const [space, name] = one.split(' ')
    if (/^javax?\.|\.[A-Z]/.test(space) || ours.has(space)) return []
    const path = join(to, `${name}.java`)
    const members = 'String value() default ""; String replacement() default ""; String[] imports() default {};'
    writeFileSync(path, `package ${space}; public @interface ${name} { ${members} }`)
    return [path]
  })
}

/** The class that a file is named after, with its package. */
function classOf(root, file) {
  const [, space] = /^package ([\w.]+);/m.exec(readFileSync(join(root, file), 'utf8')) ?? []
  return `${space === undefined ? '' : `${space}.`}${basename(file, '.java')}`
}

/** The classes of one source directory, compiled, name the classes that they use. */
async function java(root) {
  const to = mkdtempSync(join(tmpdir(), 'causeway-bench-'))
  try {
    const sources = filesIn(root, ['.java']).filter(file => !/(?:module|package)-info/.test(file))
    const all = [...sources.map(file => join(root, file)), ...stubs(root, sources, to)]
    writeFileSync(join(to, 'sources'), all.join('\n'))
    await output('javac', [
      '-nowarn',
      '-proc:none',
      '-d',
      join(to, 'classes'),
      '-cp',
      process.env.CLASSPATH ?? '',
      `@${join(to, 'sources')}`,
    ])
    const stdout = await output('jdeps', ['-v', '--ignore-missing-deps', join(to, 'classes')])
    const fileOf = new Map(sources.map(file => [classOf(root, file), file]))
    const find = name => [...name.matchAll(/\$|$/g)].map(({ index }) => fileOf.get(name.slice(0, index))).find(Boolean)
    const edges = new Set()
    for (const [, from, used] of stdout.matchAll(/^ {3}(\S+)\s+-> (\S+)/gm)) {
      const [a, b] = [find(from), find(used)]
      if (a && b && a !== b) edges.add(`${a} ${b}`)
    }
    return { edges, files: new Set(sources), mayHaveMore: true }
  } finally {
    rmSync(to, { recursive: true, force: true })
  }
}

const judges = { typescript, python, go, c, java }

/** Every edge that the tool gives. */
async function edgesOf(root) {
  const client = connect(createServer({ name: 'bench', version: '1' }).add(toolkit({ roots: [root] })))
  await client.request('tools/list')
  const edges = []
  const began = performance.now()
  for (let offset = 0; offset !== undefined;) {
    const page = await client.call('analyze_dependencies', { path: '.', show: 'edges', limit: 1000, offset })
    edges.push(...page.edges)
    offset = page.next
  }
  const { summary } = await client.call('analyze_dependencies', { path: '.' })
  client.close()
  return { edges, summary, ms: performance.now() - began }
}

const percent = (part, all) => (all === 0 ? '–' : `${((100 * part) / all).toFixed(1)} %`)

console.log(
  '| repository | judged by | edges of the judge | found | ours in the same files | of these confirmed | unresolved |',
)
console.log('|---|---|---|---|---|---|---|')
for (const positional of positionals) {
  const [kind, directory] = positional.split('=')
  const root = realpathSync(directory)
  const { edges: truth, files, byFolder, mayHaveMore } = await judges[kind](root)
  const { edges, summary } = await edgesOf(root)
  const endings = { python: /\.pyi?$/, go: /\.go$/, java: /\.java$/ }[kind] ?? /./
  const name = file => (byFolder ? dirname(file) : file)
  const ours = new Set(
    edges
      .filter(({ from, to }) => endings.test(from) && endings.test(to) && name(from) !== name(to))
      .map(({ from, to }) => `${name(from)} ${name(to)}`),
  )
  const same = [...ours].filter(edge => files.has(edge.split(' ')[0]))
  const wanted = [...truth].filter(edge => {
    const [a, b] = edge.split(' ')
    return a !== b && isCode(b)
  })
  const found = wanted.filter(edge => ours.has(edge))
  const confirmed = same.filter(edge => truth.has(edge))
  const more = mayHaveMore ? ' (it sees less)' : ''
  console.log(
    `| ${directory.split('/').at(-1)} | ${kind} | ${wanted.length} | ${percent(found.length, wanted.length)} | ${same.length} | ${percent(confirmed.length, same.length)}${more} | ${summary.unresolved} |`,
  )
  const show = Number(values.show)
  for (const edge of wanted.filter(one => !ours.has(one)).slice(0, show)) console.error(`  missing: ${edge}`)
  for (const edge of same.filter(one => !truth.has(one)).slice(0, show)) console.error(`  not confirmed: ${edge}`)
}

/** Is it a file that has links of its own? */
function isCode(file) {
  return file === '.' || !/\.(?:json|css|inc|tpp)$/.test(file)
}
