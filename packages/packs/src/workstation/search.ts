import { fault, tool } from '@causeway/engine'
import type { Tool } from '@causeway/engine'
import { orRoot, pathOf, shown } from './workspace.ts'
import type { Workspace } from './workspace.ts'
import { lineFinder, nameTest } from './text-search.ts'
import { walk } from './walk.ts'
import type { Found } from './walk.ts'

interface Match {
  path: string
  line?: number
  text?: string
}

const input = {
  type: 'object',
  properties: {
    path: pathOf('The directory to search; default: the first root'),
    pattern: {
      type: 'string',
      maxLength: 1000,
      description: 'Names to find, such as *.ts, src/**/*.test.ts or *.{md,txt}',
    },
    content: { type: 'string', maxLength: 10_000, description: 'Text that a line must contain' },
    regex: { type: 'boolean', default: false, description: 'Take content as a regular expression' },
    caseSensitive: { type: 'boolean', default: true, description: 'Tell a from A in content' },
    maxResults: { type: 'integer', minimum: 1, maximum: 1000, default: 100, description: 'Stop after so many' },
    includeIgnored: { type: 'boolean', default: false, description: 'Search what .gitignore names too' },
  },
  additionalProperties: false,
} as const

const output = {
  type: 'object',
  properties: {
    matches: {
      type: 'array',
      items: {
        type: 'object',
        properties: { path: { type: 'string' }, line: { type: 'integer' }, text: { type: 'string' } },
        required: ['path'],
      },
    },
    truncated: { type: 'boolean', description: 'There may be more than maxResults' },
  },
  required: ['matches', 'truncated'],
} as const

/** Finds files by name and by contents. */
export const searchFiles = ({ jail }: Workspace): Tool =>
  tool(
    {
      name: 'search_files',
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
    async (asked, { signal }) => {
      const { path, maxResults, includeIgnored } = asked
      const named = nameTest(asked.pattern)
      const find = lineFinder(asked)
      if (!named && !find) throw fault('invalid-arguments', "Give 'pattern', 'content', or both: what to search for.")
      return jail.inside({ path: orRoot(path) }, async dir => {
        const matches: Match[] = []
        const visit = async (found: Found): Promise<boolean> => {
          if (!found.entry.isFile() || (named && !named(found.path))) return true
          const file = shown(jail, `${found.dir.path}/${found.entry.name}`)
          if (!find) matches.push({ path: file })
          else for (const hit of await find(found, maxResults - matches.length)) matches.push({ path: file, ...hit })
          return matches.length < maxResults
        }
        await walk(jail, dir, { signal, ignored: includeIgnored, visit })
        return { matches, truncated: matches.length >= maxResults }
      })
    },
  )
