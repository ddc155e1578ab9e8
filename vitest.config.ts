import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import type { TestSequencer, TestSpecification } from 'vitest/node'
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

/** Tests that neither start, count, time nor mock anything outside themselves: they share a process, which loads the engine once. */
const inProcess = [
  'packages/cli/test/{observe,presets}/*.test.ts',
  'packages/console/test/page/!(markdown).test.ts',
  'packages/engine/test/{catalog,jsonrpc,listing,log,methods,protocol,results,secrets}/*.test.ts',
  'packages/engine/test/auth/auth.test.ts',
  'packages/engine/test/client/{fetch-transport,in-memory,matrix}.test.ts',
  'packages/engine/test/define/{define,first-use}.test.ts',
  'packages/engine/test/errors/errors.test.ts',
  'packages/engine/test/http/{asks,batches,decisions,handler,headers,http-sse,open-names,rpc}.test.ts',
  'packages/engine/test/policies/!(loop-watchdog).test.ts',
  'packages/engine/test/schema/!(nearest).test.ts',
  'packages/engine/test/sessions/{sessions,several,strangers}.test.ts',
  'packages/engine/test/stdio/!(stdio).test.ts',
  'packages/gateway/test/{config,hygiene,lock,names,scan}.test.ts',
  'packages/packs/test/cassini/{protocol,search-words,time}.test.ts',
  'packages/packs/test/{basics,threats}/*.test.ts',
  'packages/packs/test/toolkit/golden/*.test.ts',
  'test/*.test.ts',
  'test/{deploy,docs,fuzz,rules}/*.test.ts',
  'test/search/!(speed).test.ts',
]

/** Files that take ten seconds and more. Begun last, one of them would run alone on a machine that has nothing else to do. */
const longest = [
  'test/interop/conformance.test.ts',
  'test/workers/lifecycle.test.ts',
  'packages/packs/test/workstation/git/config-sweep.test.ts',
  'packages/packs/test/workstation/git/outside.test.ts',
  'packages/packs/test/workstation/run/command.test.ts',
  'packages/console/test/browser/operator.test.ts',
  'packages/console/test/browser/tools.test.ts',
  'packages/gateway/test/cells.test.ts',
  'test/scale/processes.test.ts',
  'packages/packs/test/cassini/agreement.test.ts',
  'packages/gateway/test/supervision.test.ts',
  'packages/engine/test/client/matrix.test.ts',
  'packages/gateway/test/virtual.test.ts',
  'packages/packs/test/workstation/git/remote.test.ts',
  'test/scale/faults.test.ts',
  'packages/packs/test/workstation/run/orphans.test.ts',
]

const root = fileURLToPath(new URL('.', import.meta.url))
const rank = ({ moduleId }: TestSpecification): number => {
  const at = longest.indexOf(moduleId.slice(root.length))
  return at < 0 ? longest.length : at
}

class LongestFirst implements TestSequencer {
  shard(files: TestSpecification[]): TestSpecification[] {
    return files
  }

  sort(files: TestSpecification[]): TestSpecification[] {
    return files.toSorted((a, b) => rank(a) - rank(b))
  }
}

// Processes, since some tests count their own children and descriptors.
const forks = { pool: 'forks' as const, testTimeout: 30_000, globalSetup: ['test/support/built.ts'] }

export default defineConfig({
  test: {
    // One more than cores, since many tests wait.
    maxWorkers: availableParallelism() + 1,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        plugins: [sources],
        test: {
          ...forks,
          name: 'own-process',
          include: ['examples/*.test.ts', 'packages/*/{src,test}/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: inProcess,
        },
      },
      { plugins: [sources], test: { ...forks, name: 'shared-process', include: inProcess, isolate: false } },
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
