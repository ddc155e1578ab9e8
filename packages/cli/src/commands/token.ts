import { isScope, newToken } from '@causeway/engine/http'
import type { Args } from '../config/args.ts'
import { print } from '../terminal/print.ts'
import { UsageError } from '../config/usage-error.ts'

/** Create a token: it goes to stdout, the line for the token file to stderr, so that neither is mistaken for the other. */
export async function token({ positionals, command, given }: Args): Promise<number> {
  const [name, ...rest] = positionals
  if (name === undefined || rest.length > 0)
    throw new UsageError(`Name the owner of the token. Usage: ${command.usage}`)
  if (!/^[\w.@-]{1,64}$/.test(name))
    throw new UsageError(`The name must be 1 to 64 letters, digits, _ . @ or -, got '${name.slice(0, 100)}'.`)
  const scopes = (given.get('scope') ?? []).flatMap(value => value.split(','))
  const bad = scopes.find(scope => !isScope(scope))
  if (bad !== undefined)
    throw new UsageError(`--scope: the name of a scope has no spaces or quotes, got '${bad.slice(0, 100)}'.`)
  const made = newToken(name, [...new Set(scopes)])
  process.stderr.write(
    `Add this line to the file given with --token-file. It holds a hash; keep the token itself secret:\n${made.line}\n`,
  )
  await print(made.token)
  return 0
}
