import { readFileSync, statSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import type { TestSequencer, TestSpecification, Vitest } from 'vitest/node'
import type { Plugin } from 'vite'
import { NotRun } from './test/support/not-run.ts'
import { PATIENCE_MS } from './test/support/patience.ts'

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

const root = fileURLToPath(new URL('.', import.meta.url))

/** Begun last, a long file would run alone on a machine that has nothing else to do. */
class LongestFirst implements TestSequencer {
  readonly #cache: Vitest['cache']

  constructor({ cache }: Vitest) {
    this.#cache = cache
  }

  shard(files: TestSpecification[]): TestSpecification[] {
    return files
  }

  sort(files: TestSpecification[]): TestSpecification[] {
    const ranks = new Map(files.map(file => [file, this.#rank(file)]))
    const rank = (file: TestSpecification): number => ranks.get(file) ?? 0
    return files.toSorted((a, b) => turnOf(a) - turnOf(b) || rank(b) - rank(a))
  }

  /** How long it took the last time; in a new clone tests of the whole are taken for long, then large files. */
  #rank({ project, moduleId }: TestSpecification): number {
    const path = moduleId.slice(root.length)
    const known = this.#cache.getFileTestResults(`${project.name}:${path}`)
    if (known) return known.duration
    return statSync(moduleId).size * (/^test\/(?:interop|workers|scale|documents)/.test(path) ? 1000 : 1)
  }
}

/**
 * First those with a process of their own, since a shared process lives on only while the next file shares it. Then those
 * that start programs, since a fork takes the longer the more a process holds: 1 ms at 50 MB, 15 ms at 600 MB. Last those
 * that stay within their process, and fill it.
 */
function turnOf({ project, moduleId }: TestSpecification): number {
  if (project.name === 'own') return 0
  const staysInside = /packages\/(?:engine|packs\/test\/(?:cassini|threats|toolkit|paging)|console\/test\/(?!browser))/
  return staysInside.test(moduleId.slice(root.length)) ? 2 : 1
}

const common = {
  // Processes, not threads, since some tests count their own children and descriptors.
  pool: 'forks' as const,
  testTimeout: 1.2 * PATIENCE_MS,
  hookTimeout: 1.2 * PATIENCE_MS,
  // A landing is not lost to one race; the report names what needed a second try.
  retry: process.env.CI === 'true' ? 1 : 0,
  setupFiles: ['test/support/wait-patiently.ts', 'test/support/leave-as-found.ts'],
  expect: { poll: { timeout: PATIENCE_MS, interval: 20 } },
}
const all = ['examples/*.test.ts', 'packages/*/test/**/*.test.ts', 'test/**/*.test.ts']
const own = all.map(glob => glob.replace('.test.ts', '.own.test.ts'))
const system = all.map(glob => glob.replace('.test.ts', '.system.test.ts'))

// What every way of serving HTTP does.
const http = [
  'http/{asks,decisions,guard,headers,http-sse,rpc}',
  'sessions/{isolation,sessions,several,strangers,streams}',
]

export default defineConfig({
  test: {
    // More than cores, since many tests wait for other processes.
    maxWorkers: availableParallelism() + 2,
    teardownTimeout: 20_000,
    sequence: { sequencer: LongestFirst },
    globalSetup: ['test/support/built.ts', 'test/support/temporary.ts'],
    reporters: ['default', new NotRun()],
    hideSkippedTests: true,
    projects: [
      // What counts its own children or descriptors, measures its memory or mocks a module.
      { plugins: [sources], test: { ...common, name: 'own', include: own } },
      // What kills processes, drives a browser, or takes a load, a large matrix or a whole plan of data: `npm run test:system`, as .ci/run does.
      { plugins: [sources], test: { ...common, name: 'system', include: system } },
      // The rest shares processes, each of which loads the engine once.
      {
        plugins: [sources],
        test: { ...common, name: 'shared', include: all, exclude: [...own, ...system], isolate: false },
      },
      // The same once more over the handler of web requests.
      {
        plugins: [sources],
        test: {
          ...common,
          name: 'fetch',
          include: http.map(name => `packages/engine/test/${name}.test.ts`),
          env: { HTTP_DOOR: 'fetch' },
          isolate: false,
        },
      },
    ],
    coverage: {
      // Counting takes a third longer: .ci/run does it.
      enabled: process.env.COVERAGE === '1',
      provider: 'v8',
      include: ['packages/*/src/**/*.ts'],
      // The page runs in a browser, where nobody counts.
      exclude: ['packages/console/src/page/**', 'packages/packs/src/views/**'],
      reporter: ['text-summary', 'json-summary'],
      thresholds: { lines: 80, 'packages/engine/src/**/*.ts': { lines: 85 } },
    },
  },
})
