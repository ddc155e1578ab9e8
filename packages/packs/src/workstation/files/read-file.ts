import { RESULT_META, tool } from '@causeway/engine'
import type { Content, Tool } from '@causeway/engine'
import { ownWords } from '@causeway/engine/internal'
import { reading } from '../../support/files/file.ts'
import { orNearest } from '../../support/files/nearest-path.ts'
import type { Place } from '../../support/files/jail.ts'
import { quote } from '../../support/quote.ts'
import { asContent } from './read-content.ts'
import type { Ask } from './read-content.ts'
import { pathOf } from '../workspace.ts'
import type { Workspace } from '../workspace.ts'
import { fileData } from '../../support/file-data.ts'

const READING = { readOnly: true, idempotent: true, openWorld: false } as const
const LINES = 2000
const LONGEST_LINE = 2000
const MOST_FILES = 50

const ENDLESS_LINE = 10_000_000

const how = (longest: number) =>
  ({
    lineNumbers: { type: 'boolean', default: false, description: 'Put the number of each line in front of it' },
    maxLineLength: {
      type: 'integer',
      minimum: 1,
      maximum: ENDLESS_LINE,
      default: longest,
      description: 'Characters shown of a line; longer lines are cut, with a note',
    },
  }) as const

const KINDS = 'notebooks as text, pictures as pictures, anything else as a base64 blob'
const IN_PARTS =
  `Reads one file whose path is known: text (the first ${LINES} lines, unless you ask for others), ${KINDS}. ` +
  'Continue with offset. To find files use search_files.'
const WHOLE = `Read contents of a file: text as it is, ${KINDS}. Choose lines with offset, limit or tail.`

/** Reads one file. */
export function readFile({ jail, textBytes, textTokens, wholeFiles, threads }: Workspace): Tool {
  const [lines, longest] = wholeFiles ? [Infinity, ENDLESS_LINE] : [LINES, LONGEST_LINE]
  return tool(
    {
      ...READING,
      name: 'read_file',
      use: fileData,
      title: 'Read file',
      description: wholeFiles ? WHOLE : IN_PARTS,
      aliases: ['filesystem/read', 'filesystem/read_file'],
      input: {
        type: 'object',
        properties: {
          path: pathOf('The file to read'),
          offset: { type: 'integer', minimum: 1, description: 'First line to read, counted from 1' },
          limit: {
            type: 'integer',
            minimum: 1,
            description: `How many lines to read; default: ${wholeFiles ? 'all' : lines}`,
          },
          tail: { type: 'integer', minimum: 1, maximum: 100_000, description: 'Return the last N lines instead' },
          ...how(longest),
          raw: { type: 'boolean', default: false, description: 'Return a notebook as JSON, not as text' },
        },
        required: ['path'],
        additionalProperties: false,
      },
    },
    ({ path, offset, limit, tail, lineNumbers, maxLineLength, raw }, { signal, clientKey: client }) => {
      const isPart = offset !== undefined || limit !== undefined || tail !== undefined
      const ask = { first: offset ?? 1, count: limit ?? lines, tail, longest: maxLineLength, numbered: lineNumbers }
      return jail.at({ path }, place =>
        reading(place, async (file, { size }) => {
          const { content, page } = await asContent(
            { file, size, place },
            { ...ask, bytes: textBytes, tokens: textTokens, signal, threads, client, raw, isPart },
          )
          return { content, ...(page && { _meta: { [RESULT_META.page]: page } }) }
        }),
      )
    },
  )
}

const contentsOf = (place: Place, ask: Ask): Promise<readonly Content[]> =>
  reading(place, async (file, { size }) => (await asContent({ file, size, place }, ask)).content)

/** Reads several files. */
export const readFiles = ({ jail, textBytes, textTokens, threads }: Workspace): Tool =>
  tool(
    {
      ...READING,
      name: 'read_files',
      use: fileData,
      title: 'Read files',
      description:
        `Reads several files at once, each as read_file does, from the first line on; together they take as much room ` +
        'as one. For a file that cannot be read, the error is in its place.',
      aliases: ['filesystem/read_files', 'read_multiple_files'],
      input: {
        type: 'object',
        properties: {
          paths: {
            type: 'array',
            minItems: 1,
            maxItems: MOST_FILES,
            items: { type: 'string' },
            description: 'The files to read; relative paths begin at the first root',
          },
          limit: { type: 'integer', minimum: 1, description: `How many lines to read of each; default: ${LINES}` },
          ...how(LONGEST_LINE),
        },
        required: ['paths'],
        additionalProperties: false,
      },
    },
    async ({ paths, limit = LINES, lineNumbers, maxLineLength }, { signal, clientKey: client }) => {
      const share = Math.floor(textBytes / paths.length)
      const shown = { longest: maxLineLength, numbered: lineNumbers, bytes: share, raw: false, isPart: true }
      const tokens = textTokens === undefined ? undefined : Math.floor(textTokens / paths.length)
      const ask: Ask = { first: 1, count: limit, tail: undefined, tokens, ...shown, signal, threads, client }
      const read = (path: string): Promise<readonly Content[]> =>
        orNearest(jail, () => jail.at({ path }, place => contentsOf(place, ask)))
      const content: Content[] = []
      for (const path of paths) {
        const found = await read(path).catch((error: unknown) => {
          signal.throwIfAborted()
          return [ownWords(`[${error instanceof Error ? error.message : String(error)}]`)]
        })
        content.push(ownWords(`==> ${quote(path).slice(1, -1)} <==`), ...found)
      }
      return { content }
    },
  )
