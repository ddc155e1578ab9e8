import type { Args } from '../args.ts'
import { assemble } from '../assemble.ts'
import { readConfig } from '../config.ts'
import { print, table } from '../print.ts'

/** Show the tools that would be served. */
export async function list(args: Args): Promise<number> {
  const server = await assemble(readConfig(args))
  const text = (value: unknown): string => (typeof value === 'string' ? value : '')
  const rows = server.listed('tool').map(({ name, description }) => [text(name), text(description)] as const)
  await print(table(rows))
  return 0
}
