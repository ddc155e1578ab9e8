import type { Args } from '../config/args.ts'
import { commandNamed } from '../config/command-table.ts'
import { help } from '../terminal/help.ts'
import { print } from '../terminal/print.ts'
import { UsageError } from '../config/usage-error.ts'

/** Show help, on everything or on one command. */
export async function helpOn({ positionals, command }: Args): Promise<number> {
  const [name, ...rest] = positionals
  if (rest.length > 0) throw new UsageError(`Name one command. Usage: ${command.usage}`)
  await print(help(name === undefined ? undefined : commandNamed(name)))
  return 0
}
