import { SMALL } from '../limits/byte-budget.ts'
import { Refusal, tooLarge, tooMuch } from '../http/exchange.ts'

/** Says whether so many bytes may be held now. */
export type Hold = (bytes: number) => boolean

/** The body of a request as text, refused while it arrives if it is too long, or if too much is held already. */
export async function readBody(request: Request, limit: number, hold: Hold): Promise<string> {
  const length = Number(request.headers.get('content-length') ?? Number.NaN)
  if (length > limit) throw tooLarge(limit)
  if (request.bodyUsed)
    throw new Refusal(
      500,
      'The body was read before the MCP handler could read it. Give it a request that was not read.',
    )
  // Hosts read a body faster as a whole; a large one is counted while it arrives.
  if (length <= Math.min(limit, SMALL)) return readWhole(request, limit)
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
    // What is still coming is not read; the end of it is not waited for.
    void reader.cancel().catch(() => {})
    throw error
  }
  return decoded(joined(pieces, size))
}

async function readWhole(request: Request, limit: number): Promise<string> {
  let body: ArrayBuffer
  try {
    body = await request.arrayBuffer()
  } catch {
    throw endedEarly()
  }
  if (body.byteLength > limit) throw tooLarge(limit)
  return decoded(new Uint8Array(body))
}

async function read(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<Uint8Array | undefined> {
  try {
    return (await reader.read()).value
  } catch {
    throw endedEarly()
  }
}

// A mark of byte order is part of the text, which is then no JSON, as on the other doors.
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function decoded(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes)
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

const endedEarly = (): Refusal => new Refusal(400, 'The request ended early')
