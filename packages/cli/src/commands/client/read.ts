import { isObject } from '@causeway/engine/internal'
import { isGiven } from '../../config/args.ts'
import type { Args } from '../../config/args.ts'
import { UsageError } from '../../config/usage-error.ts'
import { showing, withServer } from '../../remote/open-server.ts'
import { complain, print, printBytes, printExact, printJson } from '../../terminal/print.ts'

/** Read one resource, and print what it holds. */
export async function read(args: Args): Promise<number> {
  const [uri, ...rest] = args.positionals
  if (uri === undefined || rest.length > 0) throw new UsageError(`Name one resource. Usage: ${args.command.usage}`)
  return withServer(args, async ({ client }) => {
    const result = await showing(args, options => client.request('resources/read', { uri }, options))
    if (isGiven(args, 'json')) await printJson(result)
    else for (const part of Array.isArray(result.contents) ? result.contents : []) await printPart(part)
    return 0
  })
}

async function printPart(part: unknown): Promise<void> {
  if (!isObject(part)) return
  if (typeof part.text === 'string') return process.stdout.isTTY ? print(part.text) : printExact(part.text)
  const bytes = Buffer.from(String(part.blob), 'base64')
  if (!process.stdout.isTTY) return printBytes(bytes)
  complain(
    `${String(part.uri)}: ${bytes.length} bytes of ${typeof part.mimeType === 'string' ? part.mimeType : 'data'}. Write them to a file with > FILE`,
  )
}
