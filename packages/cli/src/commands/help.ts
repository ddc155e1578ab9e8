import type { Args } from '../args.ts'
import { commandNamed } from '../commands.ts'
import { help, print } from '../print.ts'
import { UsageError } from '../usage.ts'

/** Show help, on everything or on one command. */
export async function helpOn({ positionals, command }: Args): Promise<number> {
  const [name, ...rest] = positionals
  if (rest.length > 0) throw new UsageError(`Name one command. Usage: ${command.usage}`)
  await print(help(name === undefined ? undefined : commandNamed(name)))
  return 0
}
