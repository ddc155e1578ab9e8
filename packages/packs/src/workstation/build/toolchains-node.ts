import { testScript } from './node-runners.ts'
import type { TestScript } from './node-runners.ts'
import type { Chosen, Toolchain } from './toolchain.ts'

/**
 * A script that names no files is given one more argument, behind what stands in front of arguments. One that does is not
 * run: its runner is, without these files.
 */
const choosing =
  (dashes: readonly string[], exec: readonly string[]): NonNullable<Toolchain['choose']> =>
  (chosen, { testScript: script = '', hasMochaSpec = false }, all) => {
    const found = testScript(script)
    if (!found || (chosen.file !== undefined && hasMochaSpec && /\bmocha\b/.test(script))) return undefined
    if (isOpen(found, chosen)) return [...all, ...dashes, ...found.choose(chosen)]
    const direct = alone(found, chosen)
    return direct && (/^(?:node|npx)$/.test(direct[0] ?? '') ? direct : [...exec, ...direct])
  }

/** Does it take more arguments at its end? Node takes all that comes behind a file for files. */
const isOpen = ({ call, hasFiles }: TestScript, { file }: Chosen): boolean =>
  !hasFiles || (file === undefined && !/^(?:node|tsx)$/.test(call?.[0] ?? ''))

/** The call of the runner with what was chosen, in place of its own files; which files a pattern means is the shell's to say. */
function alone({ call, files = [], choose }: TestScript, chosen: Chosen): readonly string[] | undefined {
  const own = chosen.file === undefined ? files : []
  return call && !own.some(one => /[*?[{]/.test(one)) ? [...call, ...choose(chosen), ...own] : undefined
}

/** The package managers of Node, those that a lock file names first. */
export const node: readonly Toolchain[] = [
  {
    name: 'pnpm',
    marks: /^pnpm-lock\.yaml$/,
    command: task => (task === 'restore' ? ['pnpm', 'install', '--frozen-lockfile'] : ['pnpm', 'run', task]),
    choose: choosing([], ['pnpm', 'exec']),
  },
  {
    name: 'yarn',
    marks: /^yarn\.lock$/,
    command: task => (task === 'restore' ? ['yarn', 'install'] : ['yarn', 'run', task]),
    choose: choosing([], ['yarn', 'run']),
  },
  {
    name: 'bun',
    marks: /^bun\.lockb?$/,
    command: task => (task === 'restore' ? ['bun', 'install'] : ['bun', 'run', task]),
    choose: choosing([], ['bun', 'run']),
  },
  {
    name: 'npm',
    marks: /^package\.json$/,
    command: (task, { names }) => {
      if (task === 'restore')
        return ['npm', names.has('package-lock.json') ? 'ci' : 'install', '--no-fund', '--no-audit']
      return ['npm', 'run', task]
    },
    choose: choosing(['--'], ['npm', 'exec', '--no', '--']),
  },
]

/** Deno, which builds nothing but checks. */
export const deno: Toolchain = {
  name: 'deno',
  marks: /^deno\.jsonc?$/,
  command: task =>
    ({ build: ['deno', 'check', '.'], test: ['deno', 'test', '--no-prompt'], restore: ['deno', 'install'] })[task],
  choose: ({ file, test }, _, all) => [
    ...all,
    ...(test === undefined ? [] : ['--filter', test]),
    ...(file === undefined ? [] : [`./${file}`]),
  ],
}
