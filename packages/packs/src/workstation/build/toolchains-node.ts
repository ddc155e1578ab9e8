import type { Chosen, Project, Toolchain } from './toolchain.ts'

// How the runners that a script may call select tests by name.
const BY_NAME: readonly (readonly [RegExp, (name: string) => string[]])[] = [
  [/\b(?:vitest|jest|react-scripts)\b/, name => ['-t', name]],
  [/\bmocha\b/, name => ['--grep', name]],
  [/\bava\b/, name => ['--match', `*${name}*`]],
  [/\bnode\b.* --test\b/, name => ['--test-name-pattern', name]],
  [/\bbun test\b/, name => ['-t', name]],
  [/\bplaywright\b/, name => ['--grep', name]],
]

/** Arguments behind the dashes: a file as it is, a name as the runner of the script wants it. */
function scriptArguments({ file, test }: Chosen, { testScript = '' }: Project): string[] | undefined {
  const runner = BY_NAME.find(([pattern]) => pattern.test(testScript))
  if (test !== undefined && !runner) return undefined
  const named = test === undefined ? [] : (runner?.[1](test) ?? [])
  return [...named, ...(file === undefined ? [] : [`./${file}`])]
}

const choose: Toolchain['choose'] = scriptArguments

/** The package managers of Node, those that a lock file names first. */
export const node: readonly Toolchain[] = [
  {
    name: 'pnpm',
    marks: /^pnpm-lock\.yaml$/,
    command: task => (task === 'restore' ? ['pnpm', 'install', '--frozen-lockfile'] : ['pnpm', 'run', task]),
    choose,
  },
  {
    name: 'yarn',
    marks: /^yarn\.lock$/,
    command: task => (task === 'restore' ? ['yarn', 'install'] : ['yarn', 'run', task]),
    choose,
  },
  {
    name: 'bun',
    marks: /^bun\.lockb?$/,
    command: task => (task === 'restore' ? ['bun', 'install'] : ['bun', 'run', task]),
    choose,
  },
  {
    name: 'npm',
    marks: /^package\.json$/,
    command: (task, { names }) => {
      if (task === 'restore')
        return ['npm', names.has('package-lock.json') ? 'ci' : 'install', '--no-fund', '--no-audit']
      return ['npm', 'run', task]
    },
    choose: (chosen, project) => {
      const words = scriptArguments(chosen, project)
      return words && ['--', ...words]
    },
  },
]

/** Deno, which builds nothing but checks. */
export const deno: Toolchain = {
  name: 'deno',
  marks: /^deno\.jsonc?$/,
  command: task =>
    ({ build: ['deno', 'check', '.'], test: ['deno', 'test', '--no-prompt'], restore: ['deno', 'install'] })[task],
  choose: ({ file, test }) => [
    ...(test === undefined ? [] : ['--filter', test]),
    ...(file === undefined ? [] : [`./${file}`]),
  ],
}
