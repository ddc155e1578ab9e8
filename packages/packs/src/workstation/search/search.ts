import { lstat } from 'node:fs/promises'
import { fault, text, tool } from '@causeway/engine'
import type { Tool } from '@causeway/engine'
import { fileKind } from '../../support/files/file.ts'
import type { Jail } from '../../support/files/jail.ts'
import { expandBraces } from '../../support/patterns/glob.ts'
import { checkWanted } from '../../support/regex/line-matcher.ts'
import type { Wanted } from '../../support/regex/line-matcher.ts'
import { offsetArgument } from '../../support/page.ts'
import { clip } from '../../support/processes/spool.ts'
import { quote } from '../../support/quote.ts'
import { orRoot, pathOf } from '../workspace.ts'
import type { Workspace } from '../workspace.ts'
import { runSearch } from './run-search.ts'
import type { Asked } from './run-search.ts'
import { searchReport } from './search-report.ts'
import { fileData } from '../../support/file-data.ts'

const PATTERN = { type: 'string', maxLength: 1000 } as const
const CONTEXT = { type: 'integer', minimum: 0, maximum: 50, default: 0 } as const

const input = {
  type: 'object',
  properties: {
    path: pathOf('The directory, or the one file, to search; default: the first root'),
    pattern: { ...PATTERN, description: 'Names to find, such as *.ts, src/**/*.test.ts or *.{md,txt}' },
    exclude: {
      type: 'array',
      maxItems: 100,
      items: PATTERN,
      description: 'Names to leave out, such as dist or *.min.js; of a directory, everything below it',
    },
    type: {
      enum: ['file', 'directory', 'any'],
      default: 'file',
      description: 'What to find by its name; content is only ever searched in files',
    },
    content: {
      type: 'string',
      maxLength: 10_000,
      description: 'Text that a line must contain',
    },
    regex: {
      type: 'boolean',
      default: false,
      description: 'Take content as a regular expression, without look-around',
    },
    multiline: { type: 'boolean', default: false, description: 'Match over lines' },
    wholeWord: { type: 'boolean', default: false, description: 'Match content only as a whole word' },
    caseSensitive: { type: 'boolean', default: true, description: 'Match content case-sensitively' },
    mode: {
      enum: ['lines', 'files', 'counts'],
      default: 'lines',
      description: 'With content: matching lines, only the files that have some, or how many each has',
    },
    before: { ...CONTEXT, description: 'Lines to show before each match' },
    after: { ...CONTEXT, description: 'Lines to show after each match' },
    offset: offsetArgument,
    limit: { type: 'integer', minimum: 1, maximum: 1000, default: 100, description: 'How many results to return' },
    maxResults: { type: 'integer', minimum: 1, maximum: 1000, description: 'The same as limit' },
    includeIgnored: { type: 'boolean', default: false, description: 'Search what .gitignore names too' },
  },
  additionalProperties: false,
} as const

const lines = { type: 'array', items: { type: 'string' } } as const

const output = {
  type: 'object',
  properties: {
    matches: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          path: { type: 'string' },
          line: { type: 'integer' },
          endLine: { type: 'integer' },
          text: { type: 'string' },
          before: lines,
          after: lines,
          count: { type: 'integer', description: 'Matching lines in the file' },
        },
        required: ['path'],
      },
    },
    total: { type: 'integer', description: 'How many results there are in all' },
    files: { type: 'integer', description: 'How many files they are in' },
    truncated: { type: 'boolean', description: 'There are more' },
    next: { type: 'integer', description: 'The offset to go on with, if there are more' },
    skipped: {
      type: 'object',
      description: 'Files that were not searched',
      properties: {
        binary: { type: 'integer' },
        tooLarge: { type: 'integer' },
        unreadable: { type: 'integer' },
        paths: lines,
      },
      required: ['binary', 'tooLarge', 'unreadable', 'paths'],
    },
  },
  required: ['matches', 'total', 'truncated'],
} as const

/** Finds files by name and by contents. */
export const searchFiles = (workspace: Workspace): Tool =>
  tool(
    {
      name: 'search_files',
      use: fileData,
      title: 'Search files',
      description:
        'Finds files by name (pattern), by what is in them (content), or by both; with content every matching line ' +
        'is returned with its number. What .gitignore names is left out. To read a file use read_file.',
      readOnly: true,
      idempotent: true,
      openWorld: false,
      aliases: ['filesystem/search', 'filesystem/search_files'],
      input,
      output,
    },
    async (given, { signal, clientKey: client }) => {
      const { jail, threads, textBytes } = workspace
      const asked = { ...(await startOf(jail, given.path)), ...askedFor(given) }
      const report = await runSearch(threads, asked, { jail, signal, client })
      return { content: [text(clip(searchReport(report, asked), textBytes))], structuredContent: report }
    },
  )

/** A directory or file to search. */
export type Start = Pick<Asked, 'root' | 'path' | 'isFile'>

/** Where a search begins. */
export const startOf = (jail: Jail, path: string | undefined): Promise<Start> =>
  jail.at({ path: orRoot(path) }, async place => {
    const stats = await lstat(place.at)
    if (!stats.isFile() && !stats.isDirectory())
      throw new Error(`This is a ${fileKind(stats)}, not a file or a directory: ${quote(place.path)}`)
    return { ...jail.below(place.path), isFile: stats.isFile() }
  })

/** What may be asked of a search. */
export interface Given {
  readonly pattern?: string
  readonly exclude?: readonly string[]
  readonly type?: Asked['type']
  readonly content?: string
  readonly regex?: boolean
  readonly caseSensitive?: boolean
  readonly wholeWord?: boolean
  readonly multiline?: boolean
  readonly mode?: Asked['mode']
  readonly before?: number
  readonly after?: number
  readonly offset?: number
  readonly limit?: number
  readonly maxResults?: number | undefined
  readonly includeIgnored?: boolean
}

const DEFAULTS = { before: 0, after: 0, offset: 0, limit: 100, mode: 'lines', type: 'file' } as const

/** A search, checked, with what is not given. */
export function askedFor(given: Given): Omit<Asked, keyof Start> {
  const { pattern = '', exclude = [] } = given
  const { before, after, offset, mode, type, ...rest } = { ...DEFAULTS, ...given }
  const limit = given.maxResults ?? rest.limit
  const wanted = wantedOf(given)
  if (!wanted && pattern === '' && type === 'file')
    throw fault('invalid-arguments', "Give 'pattern', 'content', or both: what to search for.")
  for (const one of [pattern, ...exclude]) checkPattern(one)
  const names = { include: pattern === '' ? [] : [pattern], exclude, includeIgnored: given.includeIgnored === true }
  return { ...names, type: wanted ? 'file' : type, wanted, mode, before, after, offset, limit }
}

const escaped = (text: string): string =>
  text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`).replaceAll('\n', String.raw`\r?\n`)

/** Where a word begins and ends; at a sign there is no such place. */
function asWord(content: string, regex: boolean): string {
  if (regex) return String.raw`\b(?:${content})\b`
  const [first, last] = [/^\w/.test(content), /\w$/.test(content)]
  return `${first ? String.raw`\b` : ''}${escaped(content)}${last ? String.raw`\b` : ''}`
}

function wantedOf(asked: Given): Wanted | undefined {
  const { content: given = '', regex: isRegex = false, wholeWord = false } = asked
  if (given === '') return undefined
  const isLong = asked.multiline || (!isRegex && given.includes('\n'))
  const wanted = {
    content: wholeWord ? asWord(given, isRegex) : given,
    regex: isRegex || wholeWord,
    ignoreCase: asked.caseSensitive === false,
    ...(isLong && { multiline: true }),
  }
  try {
    checkWanted(wanted)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw fault('invalid-arguments', `Parameter 'content': ${why}. Set regex to false to take it as text.`)
  }
  return wanted
}

function checkPattern(pattern: string): void {
  try {
    expandBraces(pattern)
    if (/\[[^\]]*$/.test(pattern.replace(/\\./gs, '')))
      throw new Error("'[' has no ']': write \\[ for the character itself")
  } catch (error) {
    throw fault(
      'invalid-arguments',
      `Parameters 'pattern' and 'exclude': ${error instanceof Error ? error.message : ''}.`,
    )
  }
}
