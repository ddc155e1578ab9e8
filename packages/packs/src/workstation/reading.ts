import { extname } from 'node:path'
import type { FileHandle } from 'node:fs/promises'
import { pathToFileURL } from 'node:url'
import { text, tool } from '@causeway/engine'
import type { Content, Tool } from '@causeway/engine'
import { readAll, reading } from '../support/file.ts'
import type { Place } from '../support/jail.ts'
import { quote } from '../support/quote.ts'
import { pathOf } from './workspace.ts'
import type { Workspace } from './workspace.ts'

const TYPES: Readonly<Record<string, string>> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
  '.ico': 'image/x-icon',
  '.pdf': 'application/pdf',
  '.zip': 'application/zip',
  '.gz': 'application/gzip',
  '.wasm': 'application/wasm',
  '.mp3': 'audio/mpeg',
  '.wav': 'audio/wav',
  '.mp4': 'video/mp4',
  '.sqlite': 'application/vnd.sqlite3',
}
const CHUNK = 64 * 1024
const NEWLINE = 10

/** The text, or undefined if the bytes are no text. */
export function toText(bytes: Buffer): string | undefined {
  if (bytes.subarray(0, 8192).includes(0)) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** Reads one file. */
export const readFile = ({ jail, textBytes }: Workspace): Tool =>
  tool(
    {
      name: 'read_file',
      title: 'Read file',
      description:
        'Reads one file whose path is known: text as it is, anything else as a base64 blob. ' +
        'For a large text file give offset and limit, in lines. To find files use search_files.',
      readOnly: true,
      idempotent: true,
      openWorld: false,
      aliases: ['filesystem/read', 'filesystem/read_file'],
      input: {
        type: 'object',
        properties: {
          path: pathOf('The file to read'),
          offset: { type: 'integer', minimum: 1, description: 'First line to read, counted from 1' },
          limit: { type: 'integer', minimum: 1, description: 'How many lines to read' },
        },
        required: ['path'],
        additionalProperties: false,
      },
    },
    ({ path, offset, limit }, { signal }) =>
      jail.at({ path }, place =>
        reading(place, async (file, { size }) => {
          if (offset !== undefined || limit !== undefined)
            return {
              content: await part(file, place, { first: offset ?? 1, count: limit ?? Infinity, textBytes, signal }),
            }
          const bytes = await readAll(file, textBytes)
          const content = bytes && whole(bytes, place, textBytes)
          if (!content) throw tooLarge(place, size, textBytes)
          return { content: [content] }
        }),
      ),
  )

function whole(bytes: Buffer, place: Place, most: number): Content | undefined {
  const words = toText(bytes)
  if (words !== undefined) return fits(words, most) ? text(words) : undefined
  const blob = bytes.toString('base64')
  const mimeType = TYPES[extname(place.name).toLowerCase()] ?? 'application/octet-stream'
  if (blob.length > most) return undefined
  return { type: 'resource', resource: { uri: pathToFileURL(place.path).href, mimeType, blob } }
}

interface Part {
  readonly first: number
  readonly count: number
  readonly textBytes: number
  readonly signal: AbortSignal
}

/** Some lines, without reading what comes after them. */
async function part(file: FileHandle, place: Place, { first, count, textBytes, signal }: Part): Promise<Content[]> {
  const kept: Buffer[] = []
  const end = first + count
  let [line, at, size] = [1, 0, 0]
  while (line < end) {
    signal.throwIfAborted()
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(CHUNK), 0, CHUNK, at)
    if (bytesRead === 0) return wanted(kept, place, { first, textBytes })
    at += bytesRead
    let start = line >= first ? 0 : -1
    let stop = bytesRead
    for (let i = buffer.indexOf(NEWLINE); i >= 0 && i < bytesRead && line < end; i = buffer.indexOf(NEWLINE, i + 1)) {
      line++
      if (line === first) start = i + 1
      if (line === end) stop = i + 1
    }
    if (start < 0) continue
    kept.push(buffer.subarray(start, stop))
    size += stop - start
    if (size > textBytes) throw tooLarge(place, size, textBytes)
    at += stop - bytesRead
  }
  const more = (await file.read(Buffer.alloc(1), 0, 1, at)).bytesRead > 0
  const found = wanted(kept, place, { first, textBytes })
  return more
    ? [...found, text(`[Lines ${first} to ${end - 1}. The file goes on: continue with offset ${end}.]`)]
    : found
}

function wanted(
  kept: readonly Buffer[],
  place: Place,
  { first, textBytes }: Pick<Part, 'first' | 'textBytes'>,
): Content[] {
  const words = toText(Buffer.concat(kept))
  if (words === undefined) throw new Error(`${quote(place.path)} is no text: read it without offset and limit`)
  if (words === '' && first > 1) throw new Error(`${quote(place.path)} has no line ${first}`)
  if (!fits(words, textBytes)) throw tooLarge(place, Buffer.byteLength(words), textBytes)
  return [text(words)]
}

const fits = (words: string, most: number): boolean =>
  words.length * 6 + 2 <= most || Buffer.byteLength(JSON.stringify(words)) <= most

const tooLarge = ({ path }: Place, size: number, most: number): Error =>
  new Error(
    `${quote(path)} is too large to return at once (${size} bytes; an answer holds ${most}). ` +
      'Read a part of it with offset and limit, in lines.',
  )
