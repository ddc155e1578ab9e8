import { newToken } from '@causeway/engine/http'
import type { Args } from '../args.ts'
import { print } from '../print.ts'
import { UsageError } from '../usage.ts'

/** Make a token: it goes to stdout, the line for the token file to stderr, so that neither is mistaken for the other. */
export async function token({ words, command }: Args): Promise<number> {
  const [name, ...rest] = words
  if (name === undefined || rest.length > 0) throw new UsageError(`For whom? Usage: ${command.usage}`)
  if (!/^[\w.@-]{1,64}$/.test(name))
    throw new UsageError(`A name is 1 to 64 letters, digits, _ . @ or -, got '${name}'.`)
  const made = newToken(name)
  process.stderr.write(`Add this line to the file of --token-file; the token itself is not stored:\n${made.line}\n`)
  await print(made.token)
  return 0
}
