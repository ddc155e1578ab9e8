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

/** How the program got here: npx unpacked it, npm installed it into a project, or it is somewhere else. */
const isUnpacked = (script: string): boolean => /[\\/]_npx[\\/]/.test(script)
const isInProject = (script: string): boolean => /[\\/]node_modules[\\/]causeway-mcp[\\/]/.test(script)

/**
 * The words that start this program in a shell: `causeway` if the PATH leads to it, npx if that finds it, otherwise Node
 * and the script.
 */
export function ownCommand(path: string = process.env.PATH ?? '', script: string = EXECUTABLE): readonly string[] {
  if (isUnpacked(script)) return ['npx', '-y', 'causeway-mcp']
  const folders = path.split(delimiter).filter(folder => folder !== '' && !NOT_IN_SHELLS.test(folder))
  const found = folders.map(folder => join(folder, 'causeway')).find(isExecutable)
  if (found !== undefined && realpathSync(found) === realpathSync(script)) return ['causeway']
  return isInProject(script) ? ['npx', 'causeway-mcp'] : [process.execPath, script]
}

/** The words with which a client program starts this one: absolute paths, since a program with windows has another PATH. */
export function startCommand(script: string = EXECUTABLE, platform: string = process.platform): readonly string[] {
  if (!isUnpacked(script)) return [process.execPath, script]
  // What npx unpacked is removed some day. On Windows npx is a script of cmd, which clients do not start by themselves.
  const npx = ['npx', '-y', 'causeway-mcp']
  return platform === 'win32' ? ['cmd', '/c', ...npx] : npx
}

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
