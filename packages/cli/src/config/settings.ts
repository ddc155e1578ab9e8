import { nearest } from '@causeway/engine'
import { COMMAND_LINE_ONLY } from './flag-table.ts'
import { flags } from './flags.ts'
import type { Flag } from './flags.ts'
import { UsageError } from './usage-error.ts'

/** Flags by name, each with the values it was given in one place: the command line, the environment or a file. */
export type Settings = ReadonlyMap<string, readonly string[]>

const PREFIX = 'CAUSEWAY_'

/** What the environment and a file can set, too: all but what only a command line can ask for. */
export const configurable: readonly Flag[] = flags.filter(
  ({ group }) => !COMMAND_LINE_ONLY.some(only => only === group),
)

/** The variable that sets a flag. */
export const variableOf = (name: string): string => PREFIX + name.toUpperCase().replaceAll('-', '_')

/** What the environment sets; a variable of ours that does not exist is refused, since it may be a switch for safety. */
export function environmentSettings(env: NodeJS.ProcessEnv): Settings {
  const byVariable = new Map(configurable.map(({ name }) => [variableOf(name), name]))
  const settings = new Map<string, string[]>()
  for (const [variable, value = ''] of Object.entries(env)) {
    if (!variable.startsWith(PREFIX) || value === '') continue
    const name = byVariable.get(variable)
    if (name === undefined) throw unknownVariable(variable, [...byVariable.keys()])
    settings.set(name, [value])
  }
  return settings
}

function unknownVariable(variable: string, known: readonly string[]): UsageError {
  // Without what they all begin with, which would make any two of them alike.
  const [closest] = nearest(
    variable.slice(PREFIX.length),
    known.map(name => name.slice(PREFIX.length)),
    1,
  )
  const hint =
    closest === undefined ? 'Unset it; causeway help shows what can be set.' : `Did you mean '${PREFIX}${closest}'?`
  return new UsageError(`Unknown environment variable '${variable.slice(0, 100)}'. ${hint}`, 4)
}

/** The items of a list that is written as one text. */
export const itemsIn = (text: string): string[] =>
  text
    .split(',')
    .map(part => part.trim())
    .filter(part => part !== '')
