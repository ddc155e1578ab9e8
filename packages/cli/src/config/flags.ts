import { TABLE } from './flag-table.ts'
import type { COMMAND_LINE_ONLY } from './flag-table.ts'
import type { Parsed, ParserName } from './values.ts'

/** A flag of the command line, which is also a variable of the environment and a key of the configuration file. */
export interface Flag {
  readonly name: string
  readonly group: FlagGroup
  /** What stands for its value in the help; without one the flag is a switch. */
  readonly value?: string
  /** How its value is read, see `values.ts`; without one it is one of the choices, or any text. */
  readonly parse?: ParserName
  readonly choices?: readonly string[]
  /** May be given several times, or as a comma-separated list. */
  readonly list?: boolean
  readonly default?: string
  readonly about: string
  /** The commands it has this meaning in; without any: all that take it. */
  readonly only?: readonly string[]
}

/** A group of flags. */
export type FlagGroup = keyof typeof TABLE

type Row = (typeof TABLE)[FlagGroup][number]
type SettingRow = (typeof TABLE)[Exclude<FlagGroup, (typeof COMMAND_LINE_ONLY)[number]>][number]

/** The name of a flag. */
export type FlagName = Row['name']

type OneValue<R> = R extends { parse: infer P extends ParserName }
  ? Parsed[P]
  : R extends { choices: readonly (infer C)[] }
    ? C
    : string
type ValueOf<R> = R extends { list: true }
  ? readonly OneValue<R>[]
  : R extends { value: string }
    ? OneValue<R> | (R extends { default: string } ? never : undefined)
    : boolean
type Camel<S extends string> = S extends `${infer A}-${infer B}` ? `${A}${Capitalize<Camel<B>>}` : S

/** The value of every flag that can also stand in the environment or a file, `--read-only` as `readOnly`. */
export type FlagValues = { readonly [R in SettingRow as Camel<R['name']>]: ValueOf<R> }

/** Every flag, for those who only show or look for them. */
export const flags: readonly Flag[] = Object.entries<readonly Omit<Flag, 'group'>[]>(TABLE).flatMap(([group, rows]) =>
  rows.map(row => ({ ...row, group: group as FlagGroup })),
)
