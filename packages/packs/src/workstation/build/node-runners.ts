import { splitWords } from '@causeway/engine/internal'

/** A test runner that a script of package.json calls. */
interface Runner {
  /** Its program. */
  readonly name: RegExp
  /** Words behind the program that are part of the call, not files. */
  readonly verbs?: readonly string[]
  /** Options that take the next word as their value. */
  readonly valued: ReadonlySet<string>
  /** Options without a value. */
  readonly plain: RegExp
  /** How a file is named. */
  readonly file: (path: string) => readonly string[]
  readonly test: (name: string) => readonly string[]
}

const set = (words: string): ReadonlySet<string> => new Set(words.split(' '))
const relativeFile = (path: string): string[] => [`./${path}`]
const PLAIN =
  /^--(?:no-[\w-]+|coverage|color|colors|bail|silent|verbose|ci|watch=false|passWithNoTests|[\w.-]+=.*)$|^-[bwi]$/

const RUNNERS: readonly Runner[] = [
  {
    name: /^_?mocha$/,
    valued: set(
      '-r --require -R --reporter -u --ui -t --timeout -s --slow -O --reporter-option --reporter-options -j --jobs --retries --config ' +
        '--extension --import --loader --experimental-loader --package',
    ),
    plain:
      /^--(?:exit|check-leaks|recursive|full-trace|forbid-only|forbid-pending|inline-diffs|parallel|async-only|sort|allow-uncaught|delay|diff|trace-warnings|enable-source-maps|experimental-[\w-]+)$|^-[pAC]$/,
    file: relativeFile,
    test: name => ['--grep', name],
  },
  {
    name: /^vitest$/,
    verbs: ['run'],
    valued: set(
      '-c --config -r --root --dir --reporter --mode --environment --pool --project --maxWorkers --testTimeout --retry',
    ),
    plain: /^--(?:run|globals|typecheck|hideSkippedTests|logHeapUsage)$/,
    file: relativeFile,
    test: name => ['-t', name],
  },
  {
    name: /^jest$/,
    valued: set(
      '-c --config -w --maxWorkers --testEnvironment --reporters --env --rootDir --testTimeout --selectProjects --setupFiles',
    ),
    plain: /^--(?:runInBand|detectOpenHandles|forceExit|logHeapUsage|watchAll=false|useStderr|clearCache|expand)$/,
    file: path => ['--runTestsByPath', `./${path}`],
    test: name => ['-t', name],
  },
  {
    name: /^ava$/,
    valued: set('--config -c --concurrency -T --timeout --node-arguments'),
    plain: /^--(?:serial|fail-fast|tap|update-snapshots)$|^-[sv]$/,
    file: relativeFile,
    test: name => ['--match', `*${name}*`],
  },
  {
    name: /^(?:node|tsx)$/,
    valued: set(
      '-r --require --import --loader --experimental-loader --test-reporter --test-reporter-destination --test-concurrency --test-timeout --env-file -C --conditions',
    ),
    plain: /^--(?:test|test-only|test-force-exit|enable-source-maps|trace-warnings|expose-gc|experimental-[\w-]+)$/,
    file: relativeFile,
    test: name => ['--test-name-pattern', name],
  },
  {
    name: /^bun$/,
    verbs: ['test'],
    valued: set('--timeout --preload -r --rerun-each'),
    plain: /^--(?:only|todo)$/,
    file: relativeFile,
    test: name => ['-t', name],
  },
  {
    name: /^playwright$/,
    verbs: ['test'],
    valued: set('-c --config --project --reporter -j --workers --timeout --retries'),
    plain: /^--(?:headed|quiet|fully-parallel|forbid-only)$|^-x$/,
    file: relativeFile,
    test: name => ['--grep', name],
  },
  {
    name: /^react-scripts$/,
    verbs: ['test'],
    valued: new Set(),
    plain: /^--(?:watchAll=false|runInBand)$/,
    file: path => ['--runTestsByPath', `./${path}`],
    test: name => ['-t', name],
  },
]

/** Programs that stand in front of a runner and run it. */
const WRAPPERS = /^(?:c8|nyc|cross-env|npx|dotenv)$/
const SHELL = /[|&;<>()$`\\]/

/** A script that runs tests, taken apart. */
export interface TestScript {
  /** The call without its files, and these; absent if the script is more than one plain call. */
  readonly call?: readonly string[]
  readonly files?: readonly string[]
  /** It names files or directories of its own, so that one more would not be the only one. */
  readonly hasFiles: boolean
  /** Arguments that choose a file and a name. */
  choose(chosen: { readonly file?: string | undefined; readonly test?: string | undefined }): readonly string[]
}

/** Take the command of the script `test` apart; undefined if no runner that we know is run by it, and last. */
export function testScript(script: string): TestScript | undefined {
  const parts = script.split(/\s*(?:&&|;)\s*/)
  const last = splitWords(parts.at(-1) ?? '')
  if (typeof last === 'string') return undefined
  const at = last.findIndex(word => runnerOf(word, last) !== undefined)
  const runner = runnerOf(last[at] ?? '', last)
  if (!runner || !last.slice(0, at).every(isInFront)) return undefined
  const read = options(last.slice(at + 1), runner)
  const isPlain =
    parts.length === 1 && read && !SHELL.test(script.replaceAll(/'[^']*'|"[^"$`\\]*"/g, '')) && !isSetting(last)
  return {
    ...(isPlain && { call: [...last.slice(0, at + 1), ...read.kept], files: read.files }),
    hasFiles: read ? read.files.length > 0 : true,
    choose: ({ file, test }) => [
      ...(test === undefined ? [] : runner.test(test)),
      ...(file === undefined ? [] : runner.file(file)),
    ],
  }
}

function runnerOf(word: string, words: readonly string[]): Runner | undefined {
  const runner = RUNNERS.find(({ name }) => name.test(word.replace(/^.*\//, '').replace(/\.m?js$/, '')))
  // Node runs anything; only this makes it a runner of tests.
  return runner?.name.test('node') && !words.includes('--test') ? undefined : runner
}

const isInFront = (word: string): boolean =>
  WRAPPERS.test(word) || /^[A-Za-z_]\w*=/.test(word) || /^--?[\w-]+(?:=.*)?$/.test(word)

/** Variables that a shell would set in front of the program. */
const isSetting = ([first = '']: readonly string[]): boolean => /^[A-Za-z_]\w*=/.test(first)

/** What of the words behind a runner is part of the call, and what names files; undefined if that cannot be told. */
function options(
  all: readonly string[],
  { verbs = [], valued, plain }: Runner,
): { readonly kept: readonly string[]; readonly files: readonly string[] } | undefined {
  // What follows an option that is not known may be its value or a file.
  const isPlain = (word: string): boolean => PLAIN.test(word) || plain.test(word)
  const isVerb = verbs.includes(all[0] ?? '')
  const words = isVerb ? all.slice(1) : all
  const [kept, files]: [string[], string[]] = [isVerb ? all.slice(0, 1) : [], []]
  for (let i = 0; i < words.length; i++) {
    const word = words[i] ?? ''
    const isOption = word.startsWith('-')
    ;(isOption ? kept : files).push(word)
    if (!isOption) continue
    if (valued.has(word)) kept.push(words[++i] ?? '')
    else if (!isPlain(word) && words[i + 1]?.startsWith('-') === false) return undefined
  }
  return { kept, files }
}
