import { homedir } from 'node:os'
import { isAbsolute, join, resolve } from 'node:path'
import type { ClientProgram, PlatformPath } from '@causeway/engine/client-programs'
import { UsageError } from '../config/usage-error.ts'

/** Which file of a program: the one of the user, or the one of the project in the current directory. */
export type ClientScope = 'user' | 'project'

/** The machine that files lie on. */
export interface Machine {
  readonly platform: NodeJS.Platform
  readonly home: string
  readonly env: Readonly<Record<string, string | undefined>>
}

const thisMachine = (): Machine => ({ platform: process.platform, home: homedir(), env: process.env })

/** Where a file of a program lies; relative if it belongs to a project. */
export function pathOn(path: PlatformPath, machine: Machine = thisMachine()): string {
  const own = typeof path === 'string' ? path : path[rowOf(machine)]
  const [, folder, rest = ''] = /^(~|\$XDG_CONFIG_HOME|%APPDATA%)\/(.*)$/.exec(own) ?? []
  return folder === undefined ? own : join(FOLDERS[folder]?.(machine) ?? '', rest)
}

const rowOf = ({ platform }: Machine): 'linux' | 'darwin' | 'win32' =>
  platform === 'darwin' || platform === 'win32' ? platform : 'linux'

const FOLDERS: Readonly<Record<string, (machine: Machine) => string>> = {
  '~': ({ home }) => home,
  '%APPDATA%': ({ home, env }) => env.APPDATA ?? join(home, 'AppData', 'Roaming'),
  // A relative path is to be ignored.
  $XDG_CONFIG_HOME: ({ home, env: { XDG_CONFIG_HOME: path = '' } }) =>
    isAbsolute(path) ? path : join(home, '.config'),
}

/** The file that a program reads its servers from, in a scope. */
export function clientFile(program: ClientProgram, scope: ClientScope, machine?: Machine): string {
  const paths = program.files.map(({ path }) => pathOn(path, machine))
  const found = paths.find(path => isAbsolute(path) === (scope === 'user'))
  if (found === undefined) throw new UsageError(`${program.name} has no file for a project. Use --scope user.`)
  return resolve(found)
}
