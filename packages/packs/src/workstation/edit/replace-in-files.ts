import { fault, text, tool } from '@causeway/engine'
import type { Context, Tool } from '@causeway/engine'
import { writeTogether } from '../../support/edits/write-together.ts'
import type { Change } from '../../support/edits/write-together.ts'
import { readAll, reading } from '../../support/files/file.ts'
import { decode } from '../../support/files/encoding.ts'
import { quote } from '../../support/quote.ts'
import { pathOf } from '../workspace.ts'
import type { Workspace } from '../workspace.ts'
import { askedFor, startOf } from '../search/search.ts'
import { runSearch } from '../search/run-search.ts'

const PATTERN = { type: 'string', maxLength: 1000 } as const
const MOST_FILES = 500

const input = {
  type: 'object',
  properties: {
    path: pathOf('The directory, or the one file, to change; default: the first root'),
    pattern: { ...PATTERN, description: 'Names of files, such as *.ts or src/**/*.md' },
    exclude: { type: 'array', maxItems: 100, items: PATTERN, description: 'Names to leave out' },
    oldText: { type: 'string', minLength: 1, maxLength: 10_000, description: 'The text to replace, exactly' },
    newText: { type: 'string', maxLength: 100_000, description: 'The text to put in its place', 'x-audit': 'omit' },
    wholeWord: { type: 'boolean', default: false, description: 'Replace it only as a whole word' },
    caseSensitive: { type: 'boolean', default: true, description: 'Match case-sensitively' },
    dryRun: { type: 'boolean', default: false, description: 'Only show what would change' },
  },
  required: ['oldText', 'newText'],
  additionalProperties: false,
} as const

/** Replaces a text in many files. */
export const replaceInFiles = (workspace: Workspace): Tool =>
  tool(
    {
      name: 'replace_in_files',
      title: 'Replace in files',
      description:
        'Replaces a text everywhere in the files of a directory and returns a diff: all files are changed, or none, and one ' +
        'undo_edit takes it back. What .gitignore names is left out. To rename code use rename_symbol.',
      readOnly: false,
      destructive: true,
      idempotent: false,
      openWorld: false,
      input,
    },
    async ({ oldText, newText, dryRun, ...where }, ctx) => {
      const files = await filesWith(workspace, oldText, where, ctx)
      const changes: Change[] = []
      let count = 0
      for (const path of files) {
        const before = await textAt(workspace, path)
        const found = replaced(before, { oldText, newText, ...where })
        count += found.count
        changes.push({ path: await workspace.jail.resolve(path), before, after: found.text })
      }
      const desk = { jail: workspace.jail, edits: workspace }
      const diff = await writeTogether(desk, changes, { tool: 'replace_in_files', dryRun }, ctx)
      const heading = `${dryRun ? 'Would replace' : 'Replaced'} ${count} ${count === 1 ? 'place' : 'places'} in ${files.length} ${files.length === 1 ? 'file' : 'files'}.`
      return { content: [text(files.length === 0 ? 'Nothing was found.' : `${heading}\n${diff}`)] }
    },
  )

interface Where {
  readonly path?: string
  readonly pattern?: string
  readonly exclude?: readonly string[]
  readonly wholeWord: boolean
  readonly caseSensitive: boolean
}

async function filesWith(workspace: Workspace, oldText: string, where: Where, ctx: Context): Promise<string[]> {
  const { jail, threads } = workspace
  // Of a text over several lines, the search finds the first.
  const first = oldText.split('\n').find(line => line.trim() !== '') ?? ''
  const isWord = where.wholeWord && first === oldText
  const names = { content: first || oldText, wholeWord: isWord, caseSensitive: where.caseSensitive }
  const given = { ...where, ...names, mode: 'files', limit: MOST_FILES + 1 } as const
  const asked = { ...(await startOf(jail, where.path)), ...askedFor(given) }
  const { matches, total } = await runSearch(threads, asked, {
    jail,
    signal: ctx.signal,
    client: ctx.clientKey,
  })
  if (total > MOST_FILES)
    throw fault(
      'invalid-arguments',
      `${total} files have this text, more than ${MOST_FILES}: narrow it down by 'path' or 'pattern'.`,
    )
  return matches.map(({ path }) => path)
}

async function textAt({ jail, textBytes }: Workspace, path: string): Promise<string> {
  const bytes = await jail.at({ path, link: true }, place => reading(place, file => readAll(file, textBytes)))
  const found = bytes && decode(bytes)?.text.replace(/^\uFEFF/, '')
  if (found === undefined) throw new Error(`${quote(path)} is too large, or no text. Nothing was written.`)
  return found
}

interface Replacement extends Where {
  readonly oldText: string
  readonly newText: string
}

const LETTER = /[\p{L}\p{N}_]/u

/** A text with every occurrence replaced. */
function replaced(
  before: string,
  { oldText, newText, wholeWord, caseSensitive }: Replacement,
): { text: string; count: number } {
  const escaped = oldText.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`).replaceAll('\n', String.raw`\r?\n`)
  const newline = before.includes('\r\n') ? newText.replace(/\r?\n/g, '\r\n') : newText
  let count = 0
  const made = before.replace(new RegExp(escaped, caseSensitive ? 'gu' : 'giu'), (found: string, at: number) => {
    const isPart = LETTER.test(before[at - 1] ?? '') || LETTER.test(before[at + found.length] ?? '')
    if (wholeWord && isPart) return found
    count += 1
    return newline
  })
  return { text: made, count }
}
