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

export default defineConfig({
  plugins: [sources],
  test: {
    include: ['examples/*.test.ts', 'packages/*/src/**/*.test.ts', 'packages/*/test/**/*.test.ts', 'test/**/*.test.ts'],
    // Processes, since some tests count their own children and descriptors; one more than cores, since many wait.
    pool: 'forks',
    maxWorkers: availableParallelism() + 1,
    testTimeout: 30_000,
    globalSetup: ['test/support/built.ts'],
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
