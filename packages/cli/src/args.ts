import { parseArgs } from 'node:util'
import { didYouMean } from '@causeway/engine'
import { commands, flags } from './flags.ts'
import type { Command, Flag } from './flags.ts'
import { UsageError, sentence } from './usage.ts'
import { toggle } from './values.ts'

/** What was written on the command line: flags by name, each with the values it was given. */
export interface Args {
  readonly command: Command
  readonly given: ReadonlyMap<string, readonly string[]>
  readonly words: readonly string[]
}

/** Read a command line; what it does not know it refuses with the nearest it does. */
export function readArgs(argv: readonly string[]): Args {
  const [first] = argv
  const named = first !== undefined && !first.startsWith('-')
  const command = commandNamed(named ? first : 'serve')
  const known = command.flags.map(flagNamed)
  const { tokens } = parseArgs({
    args: argv.slice(named ? 1 : 0),
    options: Object.fromEntries(known.map(f => [f.name, optionOf(f)])),
    strict: false,
    allowPositionals: true,
    tokens: true,
  })
  const given = new Map<string, string[]>()
  const words: string[] = []
  for (const token of tokens) {
    if (token.kind === 'positional') words.push(token.value)
    if (token.kind !== 'option') continue
    const flag = known.find(f => f.name === token.name)
    if (!flag) throw unknownFlag(token.rawName, command)
    given.set(flag.name, [...(given.get(flag.name) ?? []), valueOf(flag, token.value)])
  }
  if (!command.words && words.length > 0)
    throw new UsageError(`Unexpected argument '${words[0]}'. Usage: ${command.usage}`)
  return { command, given, words }
}

const optionOf = ({ name, value }: Flag): { type: 'string' | 'boolean'; short?: string } =>
  value === undefined ? { type: 'boolean', ...(name === 'help' && { short: 'h' }) } : { type: 'string' }

function commandNamed(name: string): Command {
  const found = commands.find(c => c.name === name)
  if (found) return found
  const names = commands.map(c => c.name)
  throw new UsageError(
    sentence(`Unknown command '${name}'.`, didYouMean(name, names), `Commands: ${names.join(', ')}.`),
  )
}

function flagNamed(name: string): Flag {
  const found = flags.find(f => f.name === name)
  if (!found) throw new TypeError(`No flag '${name}'`)
  return found
}

function unknownFlag(raw: string, command: Command): UsageError {
  const known = command.flags.map(name => `--${name}`)
  const where = `See: causeway ${command.name} --help`
  return new UsageError(sentence(`Unknown flag '${raw}'.`, didYouMean(raw, known), where))
}

function valueOf(flag: Flag, value: string | undefined): string {
  if (flag.value === undefined) {
    return String(toggle(value ?? 'on', flag.name))
  }
  if (value === undefined || value === '')
    throw new UsageError(`--${flag.name} needs a value: --${flag.name} ${flag.value}`)
  return value
}
