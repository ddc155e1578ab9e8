import { testScript } from './node-runners.ts'
import type { Toolchain } from './toolchain.ts'

/**
 * A script that names no files is given one more argument, behind what stands in front of arguments. One that does is not
 * run: its runner is, without these files.
 */
const choosing =
  (dashes: readonly string[], exec: readonly string[]): NonNullable<Toolchain['choose']> =>
  ({ file, test }, { testScript: script = '', hasMochaSpec = false }, all) => {
    const found = testScript(script)
    if (!found || (file !== undefined && hasMochaSpec && /\bmocha\b/.test(script))) return undefined
    const chosen = found.choose({ file, test })
    const { call, files = [], hasFiles } = found
    // Node takes all that comes behind a file for files.
    const isLast = file !== undefined || /^(?:node|tsx)$/.test(call?.[0] ?? '')
    if (!hasFiles || !isLast) return [...all, ...dashes, ...chosen]
    // Which files a pattern means is the shell's to say.
    if (!call || (file === undefined && files.some(one => /[*?[{]/.test(one)))) return undefined
    const direct = [...call, ...chosen, ...(file === undefined ? files : [])]
    return /^(?:node|npx)$/.test(call[0] ?? '') ? direct : [...exec, ...direct]
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
