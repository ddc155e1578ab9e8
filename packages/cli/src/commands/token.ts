import { isScope, newToken } from '@causeway/engine/http'
import { isGiven } from '../config/args.ts'
import type { Args } from '../config/args.ts'
import { addToken, revokeToken, rotateToken } from '../config/files/edit-token-file.ts'
import { complain, print, printJson, remark } from '../terminal/print.ts'
import { UsageError } from '../config/usage-error.ts'

/** Create, replace or revoke a token. The secret goes to stdout; its line goes into the token file, or to stderr. */
export async function token(args: Args): Promise<number> {
  const { positionals, command, given } = args
  const [first, second, ...rest] = positionals
  const action = second === undefined ? 'add' : first
  const name = second ?? first
  if (name === undefined || rest.length > 0)
    throw new UsageError(`Name the owner of the token. Usage: ${command.usage}`)
  if (!/^[\w.@-]{1,64}$/.test(name))
    throw new UsageError(`The name must be 1 to 64 letters, digits, _ . @ or -, got '${name.slice(0, 100)}'.`)
  const file = given.get('token-file')?.at(-1)
  if (action === 'add') return add(args, name, file)
  if (action !== 'rotate' && action !== 'revoke')
    throw new UsageError(`Unknown action '${String(action).slice(0, 100)}'. Use rotate or revoke, or only a name.`)
  if (file === undefined) throw new UsageError(`Name the file: causeway token ${action} ${name} --token-file FILE`)
  return action === 'revoke' ? revoke(args, name, file) : rotate(args, name, file)
}

async function revoke(args: Args, name: string, file: string): Promise<number> {
  revokeToken(file, name)
  remark(`Revoked the token of ${name} in ${file}. Running servers follow the file.`)
  if (isGiven(args, 'json')) await printJson({ name, file, revoked: true })
  return 0
}

async function rotate(args: Args, name: string, file: string): Promise<number> {
  const made = rotateToken(file, name)
  remark(`Replaced the token of ${name} in ${file}. This is the new one; it is secret and is not shown again:`)
  return shown(args, { name, token: made, file })
}

async function add(args: Args, name: string, file: string | undefined): Promise<number> {
  const scopes = scopesOf(args.given)
  if (file === undefined) {
    const made = newToken(name, scopes)
    if (!isGiven(args, 'json'))
      complain(`Add this line to the token file, or use --token-file FILE. The token itself is secret:\n${made.line}`)
    return shown(args, { name, ...made })
  }
  const made = addToken(file, name, scopes)
  remark(`Added ${name} to ${file}. This is the token; it is secret and is not shown again:`)
  return shown(args, { name, token: made, file })
}

interface Made {
  readonly name: string
  readonly token: string
  /** Its line for the token file, or the file that has it. */
  readonly line?: string
  readonly file?: string
}

/** A program gets all of it as JSON, a person the token alone. */
async function shown(args: Args, made: Made): Promise<number> {
  await (isGiven(args, 'json') ? printJson(made) : print(made.token))
  return 0
}

function scopesOf(given: Args['given']): readonly string[] {
  const scopes = (given.get('scope') ?? []).flatMap(value => value.split(','))
  const bad = scopes.find(scope => !isScope(scope))
  if (bad !== undefined)
    throw new UsageError(`--scope: the name of a scope has no spaces or quotes, got '${bad.slice(0, 100)}'.`)
  return [...new Set(scopes)]
}
