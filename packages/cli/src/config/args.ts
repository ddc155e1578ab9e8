import { parseArgs } from 'node:util'
import { didYouMean } from '@causeway/engine'
import { commandNamed, commands, flagsOf } from './command-table.ts'
import type { Command } from './command-table.ts'
import { flags } from './flags.ts'
import type { Flag } from './flags.ts'
import { UsageError, sentence } from './usage-error.ts'
import { toggle } from './values.ts'

/** What was written on the command line: flags by name, each with the values it was given. */
export interface Args {
  readonly command: Command
  /** False where the command was left out, which means `serve`. */
  readonly isNamed: boolean
  readonly given: ReadonlyMap<string, readonly string[]>
  readonly positionals: readonly string[]
}

/** Read a command line; what it does not know it refuses with the nearest it does. */
export function readArgs(argv: readonly string[]): Args {
  const at = commandAt(argv)
  if (at === undefined) return { ...parse(commandNamed('serve'), argv), isNamed: false }
  const before = argv.slice(0, at)
  const command = namedAfter(before, argv[at] ?? '')
  return { ...parse(command, [...before, ...argv.slice(at + 1)]), isNamed: true }
}

function parse(command: Command, words: readonly string[]): Omit<Args, 'isNamed'> {
  const known = flagsOf(command)
  const options = Object.fromEntries(known.map(f => [f.name, optionOf(f)]))
  const { tokens } = parseArgs({ args: [...words], options, strict: false, allowPositionals: true, tokens: true })
  const given = new Map<string, string[]>()
  for (const token of tokens) {
    if (token.kind !== 'option') continue
    const flag = known.find(f => f.name === token.name)
    if (!flag) throw unknownFlag(token.rawName, command)
    given.set(flag.name, [...(given.get(flag.name) ?? []), valueOf(flag, token.value)])
  }
  const positionals = tokens.flatMap(token => (token.kind === 'positional' ? [token.value] : []))
  const [extra] = command.positionals ? [] : positionals
  if (extra !== undefined) throw new UsageError(`Unexpected argument '${extra.slice(0, 100)}'. Usage: ${command.usage}`)
  return { command, given, positionals }
}

/** Was a switch given, and not turned off? */
export const isGiven = ({ given }: Args, name: string): boolean => given.get(name)?.at(-1) === 'true'

/** The action of a command by its name; an unknown one is refused with the nearest. */
export function actionNamed<T>(actions: Readonly<Record<string, T>>, name: string): T {
  const found = Object.hasOwn(actions, name) ? actions[name] : undefined
  if (found !== undefined) return found
  const names = Object.keys(actions)
  const known = `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`
  throw new UsageError(sentence(`Unknown action '${name.slice(0, 100)}'.`, didYouMean(name, names), `Use ${known}.`))
}

const isCommand = (word: string | undefined): boolean => commands.some(({ name }) => name === word)

/** Where the first word stands that is neither a flag nor the value of one. */
function commandAt(argv: readonly string[]): number | undefined {
  for (let i = 0; i < argv.length; i++) {
    const word = argv[i] ?? ''
    if (!word.startsWith('-') || word === '-') return i
    if (word === '--') return undefined
    if (flags.some(({ name, value }) => `--${name}` === word && value !== undefined)) i += 1
  }
  return undefined
}

/** A misspelt flag would make the word after it look like a command. */
function namedAfter(before: readonly string[], word: string): Command {
  const unknown = before.find(raw => /^--?\w/.test(raw) && !isFlag(raw.replace(/=.*/s, '')))
  if (unknown !== undefined && !isCommand(word)) throw unknownFlag(unknown, commandNamed('serve'))
  return commandNamed(word)
}

const isFlag = (raw: string): boolean => ['-h', '-v'].includes(raw) || flags.some(({ name }) => `--${name}` === raw)

const SHORT: Readonly<Record<string, string>> = { help: 'h', version: 'v' }

function optionOf({ name, value }: Flag): { type: 'string' | 'boolean'; short?: string } {
  if (value !== undefined) return { type: 'string' }
  const short = SHORT[name]
  return { type: 'boolean', ...(short !== undefined && { short }) }
}

function unknownFlag(raw: string, command: Command): UsageError {
  const flag = raw.replace(/=.*/s, '').slice(0, 100)
  const known = flagsOf(command).map(({ name }) => `--${name}`)
  return new UsageError(
    sentence(`Unknown flag '${flag}'.`, didYouMean(flag, known), `See: causeway help ${command.name}`),
  )
}

function valueOf(flag: Flag, value: string | undefined): string {
  if (flag.value === undefined) return String(toggle(value ?? 'on', flag.name))
  if (value === undefined || value === '')
    throw new UsageError(`--${flag.name} needs a value: --${flag.name} ${flag.value}`)
  return value
}
