import { accessSync, constants, realpathSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { commands, flagsOf } from '../config/command-table.ts'
import type { Config } from '../config/config.ts'
import type { FlagName } from '../config/flags.ts'
import { EXECUTABLE } from '../version.ts'

// npm puts these on the PATH of what it runs; the shell of a person does not have them.
const NOT_IN_SHELLS = /[\\/]node_modules[\\/]\.bin[\\/]?$/
// What it says is in the other flags; the level of the log does not change what is served.
const LEFT_OUT: readonly FlagName[] = ['config', 'log-level', 'root', 'preset', 'virtual']

/** The words that start this program in a shell: `causeway` if the PATH leads to it, otherwise Node and the script. */
export function ownCommand(path: string = process.env.PATH ?? ''): readonly string[] {
  const folders = path.split(delimiter).filter(folder => folder !== '' && !NOT_IN_SHELLS.test(folder))
  const found = folders.map(folder => join(folder, 'causeway')).find(isExecutable)
  return found !== undefined && realpathSync(found) === realpathSync(EXECUTABLE)
    ? ['causeway']
    : [process.execPath, EXECUTABLE]
}

/** The words with which a client program starts this one: absolute paths, since a program with windows has another PATH. */
export const startCommand = (): readonly string[] =>
  // What npx unpacked is removed some day.
  /[\\/]_npx[\\/]/.test(EXECUTABLE) ? ['npx', '-y', 'causeway-mcp'] : [process.execPath, EXECUTABLE]

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** The flags that make another command of ours serve the same tools, wherever it is started. */
export function sameTools(config: Config): readonly string[] {
  const call = commands.find(({ name }) => name === 'call')
  const known = call ? flagsOf(call) : []
  const values = config as unknown as Readonly<Record<string, unknown>>
  const given = known.filter(({ name }) => config.given.has(name as FlagName) && !LEFT_OUT.includes(name as FlagName))
  return [
    ...(config.preset.name === 'default' ? [] : ['--preset', config.preset.name]),
    ...config.root.flatMap(folder => ['--root', folder]),
    ...given.flatMap(({ name, value, list }) => {
      const chosen = values[name.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase())]
      if (value === undefined) return chosen === true ? [`--${name}`] : []
      return (list ? (chosen as readonly unknown[]) : [chosen]).flatMap(one => [`--${name}`, String(one)])
    }),
  ]
}
