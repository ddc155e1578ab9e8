import { createRequire } from 'node:module'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { minifySync } from 'rolldown/utils'

// Everything installed stays outside, but for what is bundled on purpose, see below.
// preact is in the console's page, which vite bundles; the grammars are copied by scripts/build-grammars.js.
export const BUNDLED = [
  'typebox',
  'jose',
  'undici',
  '@sqlite.org/sqlite-wasm',
  '@vscode/tree-sitter-wasm',
  'preact',
  '@preact/signals',
  '@preact/signals-core',
  '@noble/ciphers',
  '@noble/hashes',
  'buffer',
  'base64-js',
  'ieee754',
  'sucrase',
  '@jridgewell/gen-mapping',
  '@jridgewell/sourcemap-codec',
  '@jridgewell/trace-mapping',
  '@jridgewell/resolve-uri',
  'lines-and-columns',
  '@scalar/openapi-upgrader',
  '@scalar/helpers',
  'ts-interface-checker',
]
const AGENT = '\0undici'
const external = id => id !== AGENT && !/^[./]/.test(id) && !BUNDLED.some(name => id.startsWith(name))

// Each package becomes one file an entry point plus lazily loaded chunks, so that a server starts without hundreds of
// module loads. typebox is bundled because importing it unbundled costs more than the rest of the start-up, SQLite
// because its package declares a newer Node than it needs, undici because a fifth of it is used, jose (in a chunk of its
// own) so that nothing has to be installed.
const bundle = (name, input, { plugins = [], platform = 'node', web = false } = {}) => ({
  input,
  ...(web && { transform: { inject: webGlobals } }),
  external: web ? id => !id.startsWith('node:') && external(id) : external,
  plugins: [...plugins, smallMaps(name), smallLibraries],
  platform,
  output: {
    dir: `packages/${name}/dist${web ? '/web' : ''}`,
    format: 'esm',
    chunkFileNames: '[name].js',
    // What several parts share is one file, since each costs a millisecond at the start; packs are better loaded apart.
    ...(name !== 'packs' && name !== 'cli' && { codeSplitting: { groups: GROUPS } }),
    minify: web,
    sourcemap: !web,
  },
})

// What serves HTTP is of no use to who serves on stdio.
const HTTP =
  /engine\/src\/(?:transports\/(?:http\/(?!origin-check)|endpoints\/|sessions\/|protected\/)|auth\/(?!scope|principal|issuer))/
const GROUPS = [
  // Apart from our own, so that it is written small.
  { name: 'openapi-libraries', test: id => /node_modules\/@scalar\//.test(id), priority: 2 },
  { name: 'shared', test: id => !HTTP.test(id), minShareCount: 2, priority: 1 },
  { name: 'http-frontend', minShareCount: 2 },
]

const isLibrary = id => id.includes('node_modules') || id.includes(AGENT)

// Ours is left readable; a part that is all of others is not for reading.
const smallLibraries = {
  name: 'small-libraries',
  generateBundle(_, files) {
    for (const file of Object.values(files)) {
      if (file.type !== 'chunk' || file.moduleIds.length === 0 || !file.moduleIds.every(isLibrary)) continue
      file.code = minifySync(file.fileName, file.code, { compress: false, mangle: { keepNames: true } }).code
    }
  },
}

// Maps name file and line. The text of our sources is in them where there is room: the engine has to stay small.
const smallMaps = name => ({
  name: 'small-maps',
  generateBundle(_, files) {
    for (const [path, { type, source }] of Object.entries(files)) {
      if (type !== 'asset' || !path.endsWith('.map')) continue
      const { sourcesContent, ...map } = JSON.parse(source)
      // A part that is all of others has no sources of ours to name.
      if (map.sources.every(isLibrary)) {
        delete files[path]
        continue
      }
      const hasText = index => name !== 'engine' && !map.sources[index].includes('node_modules')
      const texts = sourcesContent.map((text, index) => (hasText(index) ? text : null))
      const isEmpty = texts.every(text => text === null)
      files[path].source = JSON.stringify({ ...map, ...(!isEmpty && { sourcesContent: texts }) })
    }
  },
})

// Of undici only the agent is used.
const undiciAgent = {
  name: 'undici-agent',
  resolveId: id => (id === 'undici' ? AGENT : undefined),
  load: id => (id === AGENT ? "export { default as Agent } from 'undici/lib/dispatcher/agent.js'" : undefined),
}

// For runtimes without Node's modules and globals.
const webFile = file => fileURLToPath(new URL(`packages/engine/src/web-platform/${file}.ts`, import.meta.url))
const webModules = {
  name: 'web-modules',
  resolveId: id => (id.startsWith('node:') ? webFile(id === 'node:crypto' ? 'crypto' : 'node-modules') : undefined),
}
const webGlobals = Object.fromEntries(
  ['Buffer', 'process', 'setImmediate'].map(name => [name, [webFile('globals'), name]]),
)

// SQLite looks for its binary beside the module it was bundled into.
const sqliteBinary = {
  name: 'sqlite-binary',
  generateBundle() {
    const module = createRequire(import.meta.url).resolve('@sqlite.org/sqlite-wasm')
    const source = readFileSync(new URL('sqlite3.wasm', `file://${module}`))
    this.emitFile({ type: 'asset', fileName: 'sqlite3.wasm', source })
  },
}

export default [
  bundle(
    'engine',
    {
      index: 'packages/engine/src/index.ts',
      fetch: 'packages/engine/src/entries/fetch.ts',
      http: 'packages/engine/src/http.ts',
      client: 'packages/engine/src/client.ts',
      internal: 'packages/engine/src/internal.ts',
      openapi: 'packages/engine/src/entries/openapi.ts',
      process: 'packages/engine/src/process.ts',
      metrics: 'packages/engine/src/entries/metrics.ts',
      policies: 'packages/engine/src/entries/policies.ts',
      redis: 'packages/engine/src/redis.ts',
      stores: 'packages/engine/src/entries/stores.ts',
      testing: 'packages/engine/src/testing/index.ts',
    },
    { plugins: [undiciAgent] },
  ),
  // Alone, so that it shares no chunk with what needs Node.
  bundle('engine', { browser: 'packages/engine/src/browser.ts' }, { platform: 'browser' }),
  bundle(
    'engine',
    { fetch: 'packages/engine/src/entries/fetch.ts' },
    { plugins: [webModules], platform: 'browser', web: true },
  ),
  bundle('engine', { 'client-programs': 'packages/engine/src/entries/client-programs.ts' }, { platform: 'browser' }),
  bundle(
    'packs',
    {
      basics: 'packages/packs/src/basics/index.ts',
      cassini: 'packages/packs/src/cassini/index.ts',
      'cassini-worker': 'packages/packs/src/cassini/database/worker.ts',
      scripts: 'packages/packs/src/scripts/index.ts',
      skills: 'packages/packs/src/skills/index.ts',
      threats: 'packages/packs/src/threats/index.ts',
      toolkit: 'packages/packs/src/toolkit/index.ts',
      'toolkit-worker': 'packages/packs/src/toolkit/analysis/worker.ts',
      workstation: 'packages/packs/src/workstation/index.ts',
      'workstation-worker': 'packages/packs/src/workstation/worker.ts',
    },
    { plugins: [sqliteBinary] },
  ),
  bundle('gateway', { index: 'packages/gateway/src/index.ts', config: 'packages/gateway/src/config.ts' }),
  bundle('console', { index: 'packages/console/src/index.ts' }),
  bundle('cli', {
    main: 'packages/cli/src/main.ts',
    worker: 'packages/cli/src/workers/worker.ts',
    daemon: 'packages/cli/src/daemon/daemon-process.ts',
    // Loaded by the thread that reads modules.
    'strip-types': 'packages/cli/src/modules/strip-types.ts',
  }),
]
