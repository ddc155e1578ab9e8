import { posix } from 'node:path'
import { expect, test } from 'vitest'
import { cyclesIn } from './cycles.ts'
import type { Package, Source } from './repo.ts'
import { importsOf, isTest, ownSources, packages, sources, target, toPackage } from './repo.ts'

/**
 * Which layers of the engine each layer may import, besides itself. A layer is the first folder below `src`, or the
 * name of a file that lies in `src` itself; `layer/file` allows one file of a layer and `*` everything.
 */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  support: [],
  jsonrpc: ['support', 'tracing'],
  tracing: [],
  // Stands for modules and globals of Node in a build; nothing imports it.
  'web-platform': [],
  stores: ['call'],
  schema: ['jsonrpc/json-shape', 'support'],
  search: ['support'],
  secrets: [],
  log: ['secrets', 'support/visible-json'],
  errors: ['call', 'define/content', 'jsonrpc', 'log', 'protocol', 'results/repairs', 'schema', 'tracing'],
  wire: ['jsonrpc'],
  // What it takes to use a server elsewhere is part of what a revision is.
  call: ['auth/principal', 'client/remote', 'client/transports/transport', 'jsonrpc', 'rights/grant', 'wire'],
  rights: [
    'auth/principal',
    'auth/scope-rules',
    'awaitable',
    'call',
    'catalog/names',
    'catalog/shelf',
    'jsonrpc',
    'policies',
    'protocol/asks',
    'protocol/session',
    'secrets',
    'stores',
    'support',
  ],
  awaitable: ['call'],
  define: [
    'auth/principal',
    'call',
    'jsonrpc',
    'policies/client-key',
    'protocol/apps',
    'protocol/asks',
    'protocol/client-values',
    'schema',
    'untrusted/shown',
  ],
  protocol: [
    'auth/principal',
    'call',
    'client/remote',
    'client/transports/transport',
    'jsonrpc',
    'log',
    'stores/store',
    'support',
    'wire',
  ],
  policies: [
    'auth/principal',
    'auth/scope-rules',
    'auth/scopes',
    'awaitable',
    'call',
    'jsonrpc',
    'protocol/keys',
    'protocol/session',
    'results/data-writers',
    'results/estimate-tokens',
    'results/meta-keys',
    'results/repairs',
    'schema',
    'secrets',
    'stores',
    'tracing',
    'untrusted/server-text',
    'support/monotonic-now',
    'support/unref',
  ],
  results: [
    'awaitable',
    'call',
    'catalog/shelf',
    'catalog/source',
    'define',
    'jsonrpc',
    'policies',
    'protocol/session',
    'schema',
    'secrets',
    'stores',
    'untrusted/server-text',
  ],
  untrusted: [
    'awaitable',
    'call',
    'catalog/shelf',
    'catalog/source',
    'define/content',
    'jsonrpc',
    'methods/cacheable',
    'policies',
    'results/data-writers',
    'results/meta-keys',
    'schema',
  ],
  catalog: [
    'awaitable',
    'call',
    'define',
    'jsonrpc',
    'methods',
    'policies/policy',
    'rights/rules',
    'protocol',
    'schema',
    'stores/store',
    'support',
  ],
  methods: [
    'awaitable',
    'call',
    'catalog',
    'define',
    'jsonrpc',
    'log',
    'rights/grant',
    'policies/policy',
    'protocol',
    'results/repairs',
    'schema',
  ],
  skills: ['awaitable', 'call', 'catalog', 'jsonrpc', 'methods', 'support'],
  listing: [
    'awaitable',
    'call',
    'catalog',
    'define',
    'jsonrpc',
    'methods',
    'protocol/keys',
    'protocol/session',
    'results/estimate-tokens',
    'results/meta-keys',
    'results/repairs',
    'schema',
    'search',
  ],
  auth: ['awaitable', 'call', 'catalog/names', 'jsonrpc', 'oauth', 'stores', 'support'],
  outbound: [],
  oauth: ['client/transports/http-client', 'client/transports/undici-client', 'jsonrpc', 'outbound', 'support'],
  lint: ['support'],
  openapi: [
    'catalog',
    'client/transports/http-client',
    'client/transports/undici-client',
    'define',
    'jsonrpc',
    'oauth',
    'outbound',
    'schema',
    'support',
    'untrusted',
  ],
  'server-options': ['call', 'catalog', 'errors/dialect', 'listing', 'log', 'methods', 'rights/grant'],
  server: [
    'awaitable',
    'call',
    'catalog',
    'define',
    'errors',
    'jsonrpc',
    'rights/grant',
    'rights/with-rights',
    'listing',
    'log',
    'methods',
    'policies',
    'protocol',
    'server-options',
    'skills',
    'stores/store',
  ],
  tasks: [
    'auth/scopes',
    'awaitable',
    'call',
    'errors/error-response',
    'jsonrpc',
    'methods/extensions',
    'policies/client-key',
    'policies/policy',
    'protocol',
    'server',
    'stores',
    'wire',
    'support/unref',
  ],
  transports: [
    'auth',
    'awaitable',
    'call',
    'errors/dialect',
    'errors/error-response',
    'jsonrpc',
    'log',
    'methods/cacheable',
    'methods/subscriptions',
    'policies/client-key',
    'protocol',
    'server',
    'stores',
    'support/deadline',
    'support/unref',
  ],
  http: ['auth', 'stores', 'transports'],
  'client-programs': ['support/shell-word', 'support/visible-json'],
  internal: ['*'],
  process: [],
  redis: ['stores'],
  metrics: ['auth/scopes', 'call', 'policies/observe', 'transports/http/handler-options', 'transports/http/routes'],
  entries: ['*'],
  client: ['call', 'jsonrpc', 'oauth', 'outbound', 'protocol', 'skills', 'support', 'transports/stdio/lines', 'wire'],
  browser: [
    'call',
    'client',
    'jsonrpc',
    'listing/helper-tools',
    'protocol/apps',
    'protocol/asks',
    'protocol/keys',
    'protocol/revisions',
    'results/estimate-tokens',
    'support/json-size',
  ],
  testing: ['*'],
  index: ['*'],
}

/** Packages of ours that each package may import. */
const mayUse: Readonly<Record<string, readonly string[]>> = {
  'packages/engine': [],
  'packages/packs': ['packages/engine'],
  'packages/gateway': ['packages/engine'],
  'packages/console': ['packages/engine'],
  'packages/cli': ['packages/console', 'packages/engine', 'packages/gateway', 'packages/packs'],
  'packages/create-causeway': ['packages/cli'],
}

const engine = 'packages/engine/src/'

/** `methods/tools.ts` for a file of the engine; undefined for any other. */
function inEngine(path: string): string | undefined {
  return path.startsWith(engine) ? path.slice(engine.length) : undefined
}

function layerOf(file: string): string {
  return file.split('/')[0]?.replace(/\.ts$/, '') ?? file
}

function isAllowed(layer: string, file: string): boolean {
  const names = ['*', layerOf(file), file.replace(/\.ts$/, '')]
  return layerOf(file) === layer || names.some(name => mayImport[layer]?.includes(name))
}

function wrongDirections({ path, text }: Source): string[] {
  const from = inEngine(path)
  if (from === undefined) return []
  const layer = layerOf(from)
  if (!(layer in mayImport)) return [`${path}: the layer ${layer} has no row in mayImport`]
  const specifiers = new Set(importsOf(text).map(({ specifier }) => specifier))
  return [...specifiers].flatMap(specifier => {
    const to = inEngine(target(path, specifier) ?? '')
    if (to === undefined || isAllowed(layer, to)) return []
    const exception = mayImport[layer]?.filter(name => name.startsWith(`${layerOf(to)}/`)) ?? []
    const only = exception.length > 0 ? ` except ${exception.join(', ')}` : ''
    return [`${path} imports ${to}: ${layer} may not import ${layerOf(to)}${only}`]
  })
}

const packs = 'packages/packs/src/'

/** `toolkit` for a file of that pack, `support` for what packs share; undefined for any other. */
function packOf(path: string): string | undefined {
  return path.startsWith(packs) ? path.slice(packs.length).split('/')[0] : undefined
}

function otherPacks({ path, text }: Source): string[] {
  const own = packOf(path)
  return importsOf(text).flatMap(({ specifier }) => {
    const to = target(path, specifier) ?? ''
    const other = packOf(to)
    if (own === undefined || other === undefined || other === own || other === 'support') return []
    return [`${path} imports ${to}: what two packs need belongs in support`]
  })
}

function packageOf(path: string, all: readonly Package[]): Package | undefined {
  return all.find(({ folder }) => path.startsWith(`${folder}/`))
}

function leaves(path: string, to: string, own: Package, all: readonly Package[]): string[] {
  if (posix.normalize(to).startsWith(`${own.folder}/`)) return []
  // A test may share fixtures with the whole repository, but still not reach into another package.
  if (isTest(path) && !packageOf(to, all)) return []
  return [`${path} imports ${to}: a relative import may not leave ${own.folder}`]
}

function crosses(path: string, specifier: string, own: Package, all: readonly Package[]): string[] {
  const other = all.find(({ name }) => specifier === name || specifier.startsWith(`${name}/`))
  if (!other) return []
  const complaint = `${path} imports ${specifier}:`
  if (!mayUse[own.folder]?.includes(other.folder)) return [`${complaint} ${own.name} may not use ${other.name}`]
  if (other.specifiers.includes(specifier)) return []
  return [`${complaint} only ${other.specifiers.join(', ')} may be imported`]
}

function wrongPackages({ path, text }: Source, all: readonly Package[]): string[] {
  const own = packageOf(path, all)
  if (!own) return []
  return importsOf(text).flatMap(({ specifier }) => {
    const to = target(path, specifier)
    return to === undefined ? crosses(path, specifier, own, all) : leaves(path, to, own, all)
  })
}

function cycles(modules: readonly Source[]): string[] {
  const graph = modules.map(({ path, text }): [string, string[]] => {
    return [path, importsOf(text).flatMap(({ specifier }) => target(path, specifier) ?? [])]
  })
  return cyclesIn(new Map(graph)).map(cycle => `import cycle: ${cycle.join(' → ')}`)
}

test('the layers of the engine import one way', () => {
  expect(ownSources().flatMap(wrongDirections)).toEqual([])
})

test('packs import themselves and what they share, not each other', () => {
  expect(ownSources().flatMap(otherPacks)).toEqual([])
})

test('modules do not import each other in circles', () => {
  expect(cycles(ownSources())).toEqual([])
})

test('packages import each other only by their entry points, one way', () => {
  const all = packages()
  const unknown = all.filter(({ folder }) => !(folder in mayUse))
  expect(unknown.map(({ folder }) => `${folder} has no row in mayUse`)).toEqual([])
  expect(sources().flatMap(source => wrongPackages(source, all))).toEqual([])
})

const text = (...lines: string[]): string => lines.join('\n')

test('self-test: a wrong direction is named', () => {
  expect(
    wrongDirections({ path: `${engine}catalog/x.ts`, text: `import type { Y } from '../transports/y.ts'` }),
  ).toEqual(['packages/engine/src/catalog/x.ts imports transports/y.ts: catalog may not import transports'])
  expect(
    wrongDirections({ path: `${engine}define/context.ts`, text: `export { y } from '../protocol/session.ts'` }),
  ).toEqual([
    'packages/engine/src/define/context.ts imports protocol/session.ts: define may not import protocol except protocol/apps, protocol/asks, protocol/client-values',
  ])
  expect(wrongDirections({ path: `${engine}jsonrpc/x.ts`, text: `const y = import('../call.ts')` })).toHaveLength(1)
  expect(wrongDirections({ path: `${engine}server.ts`, text: `import './transports/y.ts'` })).toHaveLength(1)
  expect(wrongDirections({ path: `${engine}novel/x.ts`, text: '' })).toEqual([
    'packages/engine/src/novel/x.ts: the layer novel has no row in mayImport',
  ])
})

test('self-test: right directions pass', () => {
  const lines = text(
    `import '../call.ts'`,
    `import './page.ts'`,
    `import '../protocol/client-values.ts'`,
    `import 'node:fs'`,
  )
  expect(wrongDirections({ path: `${engine}catalog/x.ts`, text: lines })).toEqual([])
  expect(wrongDirections({ path: `${engine}index.ts`, text: `export { y } from './transports/y.ts'` })).toEqual([])
})

test('self-test: a pack that imports another is named', () => {
  const lines = text(`import './x.ts'`, `import '../support/x.ts'`, `import '@causeway/engine'`, `import '../b/x.ts'`)
  expect(otherPacks({ path: `${packs}a/y.ts`, text: lines })).toEqual([
    'packages/packs/src/a/y.ts imports packages/packs/src/b/x.ts: what two packs need belongs in support',
  ])
  expect(otherPacks({ path: `${packs}support/y.ts`, text: `import '../a/x.ts'` })).toHaveLength(1)
})

test('self-test: a circle is drawn', () => {
  const circle = [
    { path: 'a/one.ts', text: `import { two } from './two.ts'` },
    { path: 'a/two.ts', text: `import type { Three } from '../b/three.ts'` },
    { path: 'b/three.ts', text: `export { one } from '../a/one.ts'` },
    { path: 'b/four.ts', text: `import '../a/one.ts'` },
  ]
  expect(cycles(circle)).toEqual(['import cycle: a/one.ts → a/two.ts → b/three.ts → a/one.ts'])
  expect(cycles(circle.slice(1))).toEqual([])
  expect(cycles([{ path: 'a.ts', text: `import './a.ts'` }])).toEqual(['import cycle: a.ts → a.ts'])
})

test('self-test: what crosses a package boundary the wrong way is named', () => {
  const all = [
    toPackage('packages/engine', { name: '@x/engine', exports: { '.': './src/index.ts', './ws': './src/ws.ts' } }),
    toPackage('packages/packs', { name: '@x/packs', exports: { './basics': './src/basics/index.ts' } }),
    toPackage('packages/cli', { name: 'x-mcp' }),
  ]
  const check = (path: string, specifier: string): string[] =>
    wrongPackages({ path, text: `import '${specifier}'` }, all)
  expect(check('packages/packs/src/a.ts', '@x/engine/src/call.ts')).toEqual([
    'packages/packs/src/a.ts imports @x/engine/src/call.ts: only @x/engine, @x/engine/ws may be imported',
  ])
  expect(check('packages/packs/src/a.ts', '../../engine/src/call.ts')).toEqual([
    'packages/packs/src/a.ts imports packages/engine/src/call.ts: a relative import may not leave packages/packs',
  ])
  expect(check('packages/engine/src/a.ts', '@x/packs/basics')).toEqual([
    'packages/engine/src/a.ts imports @x/packs/basics: @x/engine may not use @x/packs',
  ])
  expect(check('packages/packs/src/a.ts', 'x-mcp')).toHaveLength(1)
  expect(check('packages/packs/src/a.test.ts', '../../engine/src/call.ts')).toHaveLength(1)
  expect(check('packages/packs/src/a.ts', '../../../test/fixture.ts')).toHaveLength(1)
  expect(check('packages/packs/src/a.test.ts', '../../../test/fixture.ts')).toEqual([])
  expect(check('packages/cli/src/a.ts', '@x/engine/ws')).toEqual([])
  expect(check('packages/cli/src/a.ts', '@x/packs/basics')).toEqual([])
})
