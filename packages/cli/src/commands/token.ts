import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { bearerTokens, isScope, newToken } from '@causeway/engine/http'
import type { Args } from '../config/args.ts'
import { complain, print } from '../terminal/print.ts'
import { UsageError } from '../config/usage-error.ts'

/** Create a token. The secret goes to stdout; its line goes into the token file, or to stderr if no file is named. */
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
  const file = given.get('token-file')?.at(-1)
  if (file === undefined)
    complain(`Add this line to the token file, or use --token-file FILE. The token itself is secret:\n${made.line}`)
  else {
    addLine(file, made.line)
    complain(`Added ${name} to ${file}. This is the token; it is secret and is not shown again:`)
  }
  await print(made.token)
  return 0
}

/** Add a line to a token file, which is created if needed; a name that has a token is refused. */
function addLine(file: string, line: string): void {
  try {
    const before = existsSync(file) ? readFileSync(file, 'utf8') : ''
    const added = `${before === '' || before.endsWith('\n') ? '' : '\n'}${line}\n`
    bearerTokens(before + added)
    appendFileSync(file, added, { mode: 0o600 })
  } catch (error) {
    throw new UsageError(`--token-file ${file}: ${error instanceof Error ? error.message : String(error)}`, 4)
  }
}
