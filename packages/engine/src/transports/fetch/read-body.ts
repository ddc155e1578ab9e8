import { Refusal } from '../http/exchange.ts'

/** Says whether so many bytes may be held now. */
export type Hold = (bytes: number) => boolean

/** The body of a request as text, refused while it arrives if it is too long, or if too much is held already. */
export async function readBody(request: Request, limit: number, hold: Hold): Promise<string> {
  if (Number(request.headers.get('content-length')) > limit) throw tooLarge(limit)
  if (request.bodyUsed)
    throw new Refusal(500, 'The body was read before the MCP handler could read it. Give it a request that was not read.')
  if (!request.body) return ''
  const pieces: Uint8Array[] = []
  let size = 0
  const reader = request.body.getReader()
  try {
    for (let next = await read(reader); next !== undefined; next = await read(reader)) {
      size += next.length
      if (size > limit) throw tooLarge(limit)
      if (!hold(size)) throw tooMuch()
      pieces.push(next)
    }
  } catch (error) {
    // What is still coming is not wanted, and nobody waits for the end of it.
    void reader.cancel().catch(() => {})
    throw error
  }
  return textOf(pieces, size)
}

async function read(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<Uint8Array | undefined> {
  try {
    return (await reader.read()).value
  } catch {
    throw new Refusal(400, 'The request ended early')
  }
}

// A mark of byte order is part of the text, which is then no JSON, as on the other doors.
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function textOf(pieces: readonly Uint8Array[], size: number): string {
  try {
    return decoder.decode(joined(pieces, size))
  } catch {
    throw new Refusal(400, 'Parse error: the body is not valid UTF-8', -32700)
  }
}

function joined(pieces: readonly Uint8Array[], size: number): Uint8Array {
  const [first] = pieces
  if (first && pieces.length === 1) return first
  const all = new Uint8Array(size)
  let at = 0
  for (const piece of pieces) {
    all.set(piece, at)
    at += piece.length
  }
  return all
}

const tooMuch = (): Refusal =>
  new Refusal(503, 'Too many large requests at once. Try again later.', -32004, { 'Retry-After': '1' })

const tooLarge = (limit: number): Refusal =>
  new Refusal(413, `Request too large: at most ${limit} bytes are accepted`, -32600)
