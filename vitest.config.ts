import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import type { Plugin } from 'vite'

/** Our packages as sources. A resolve condition would do it too, but the workers apply it to everyone's packages. */
const sources: Plugin = {
  name: 'sources',
  enforce: 'pre',
  resolveId(id) {
    const [, name, entry = ''] = /^@causeway\/(\w+)(\/.+)?$/.exec(id) ?? []
    if (name === undefined) return null
    const folder = new URL(`packages/${name}/`, import.meta.url)
    const { exports } = JSON.parse(readFileSync(new URL('package.json', folder), 'utf8'))
    return fileURLToPath(new URL(exports[`.${entry}`].source, folder))
  },
}

/** Tests that neither start nor count anything outside themselves: they share a process, which loads the engine once. */
const inMemory = [
  'packages/cli/src/{metrics,plain-log,presets/*}.test.ts',
  'packages/console/test/page/*.test.ts',
  'packages/engine/test/!(awkward|lib-check|loop-watchdog|stdio).test.ts',
  'packages/engine/test/{listing,results,seams}/*.test.ts',
  'packages/gateway/test/{config,hygiene,lock,names,outbound,scan}.test.ts',
  'packages/packs/test/cassini/{protocol,search-words,time}.test.ts',
  'packages/packs/test/{basics,threats}/*.test.ts',
  'packages/packs/test/toolkit/golden/*.test.ts',
  'test/*.test.ts',
  'test/{deploy,docs,fuzz,rules}/*.test.ts',
  'test/search/!(speed).test.ts',
]

export default defineConfig({
  plugins: [sources],
  test: {
    // Processes, since some tests count their own children and descriptors; one more than cores, since many wait.
    pool: 'forks',
    maxWorkers: availableParallelism() + 1,
    testTimeout: 30_000,
    globalSetup: ['test/support/built.ts'],
    projects: [
      {
        extends: true,
        test: {
          name: 'processes',
          include: ['examples/*.test.ts', 'packages/*/{src,test}/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: inMemory,
        },
      },
      { extends: true, test: { name: 'memory', include: inMemory, isolate: false } },
    ],
    coverage: {
      provider: 'v8',
      include: ['packages/*/src/**/*.ts'],
      // The page runs in a browser, where nobody counts.
      exclude: ['**/*.test.ts', 'packages/console/src/page/**'],
      reporter: ['text-summary', 'json-summary'],
      thresholds: { lines: 80, 'packages/engine/src/**/*.ts': { lines: 85 } },
    },
  },
})
