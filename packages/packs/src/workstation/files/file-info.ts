import { lstat, readdir } from 'node:fs/promises'
import type { Dirent, Stats } from 'node:fs'
import { tool } from '@causeway/engine'
import type { Tool } from '@causeway/engine'
import { isMissing } from '../../support/files/errno.ts'
import { fileKind } from '../../support/files/file.ts'
import type { Jail } from '../../support/files/jail.ts'
import { offsetArgument, pageOf } from '../../support/page.ts'
import { pathOf } from '../workspace.ts'
import { shown } from '../../support/files/shown.ts'
import type { Workspace } from '../workspace.ts'
import { fileData } from '../../support/file-data.ts'

const LOOKING = { readOnly: true, idempotent: true, openWorld: false } as const
const MOST_ENTRIES = 10_000
const exists = { type: 'object', properties: { exists: { type: 'boolean' } }, required: ['exists'] } as const

const onlyPath = (what: string) =>
  ({ type: 'object', properties: { path: pathOf(what) }, required: ['path'], additionalProperties: false }) as const

/** What is at the path, or undefined if nothing is. */
async function at(jail: Jail, path: string): Promise<{ stats: Stats; real: string } | undefined> {
  try {
    return await jail.at({ path }, async place => ({ stats: await lstat(place.at), real: place.path }))
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

/** Says whether a file is there. */
export const fileExists = ({ jail }: Workspace): Tool =>
  tool(
    {
      ...LOOKING,
      name: 'file_exists',
      title: 'File exists',
      description:
        'Checks whether a path is an existing file; false for a directory, an error outside the roots. For more use file_info.',
      aliases: ['filesystem/exists', 'filesystem/file_exists'],
      input: onlyPath('The file to look for'),
      output: exists,
    },
    async ({ path }) => ({ exists: (await at(jail, path))?.stats.isFile() ?? false }),
  )

/** Says whether a directory is there. */
export const directoryExists = ({ jail }: Workspace): Tool =>
  tool(
    {
      ...LOOKING,
      name: 'directory_exists',
      title: 'Directory exists',
      description:
        'Checks whether a path is an existing directory; false for a file, an error outside the roots. For more use file_info.',
      aliases: ['filesystem/directory_exists'],
      input: onlyPath('The directory to look for'),
      output: exists,
    },
    async ({ path }) => ({ exists: (await at(jail, path))?.stats.isDirectory() ?? false }),
  )

/** Tells what there is to know of a file without reading it. */
export const fileInfo = ({ jail }: Workspace): Tool =>
  tool(
    {
      ...LOOKING,
      name: 'file_info',
      title: 'File info',
      description: 'Returns type, size, permissions and times of one file or directory, without its contents.',
      aliases: ['filesystem/info', 'filesystem/file_info'],
      input: onlyPath('The file or directory'),
      output: {
        type: 'object',
        properties: {
          path: { type: 'string', description: 'The real path, links resolved' },
          type: { type: 'string' },
          size: { type: 'integer', description: 'In bytes' },
          mode: { type: 'string', description: 'Permissions in octal' },
          modified: { type: 'string' },
          created: { type: 'string' },
        },
        required: ['path', 'type', 'size', 'mode', 'modified', 'created'],
      },
    },
    ({ path }) =>
      jail.at({ path }, async place => {
        const stats = await lstat(place.at)
        return {
          path: place.path,
          type: fileKind(stats),
          size: stats.size,
          mode: (stats.mode & 0o7777).toString(8),
          modified: stats.mtime.toISOString(),
          created: stats.birthtime.toISOString(),
        }
      }),
  )

const LISTED = {
  type: 'object',
  properties: {
    path: { type: 'string' },
    entries: {
      type: 'array',
      items: {
        type: 'object',
        properties: { name: { type: 'string' }, type: { type: 'string' } },
        required: ['name', 'type'],
      },
    },
    total: { type: 'integer', description: 'How many there are in all' },
    omitted: { type: 'integer', description: 'How many come after these, if any' },
    next: { type: 'integer', description: 'The offset to go on with, if there are more' },
  },
  required: ['path', 'entries', 'total'],
} as const

/** Lists one directory. */
export const listDirectory = ({ jail }: Workspace): Tool =>
  tool(
    {
      ...LOOKING,
      name: 'list_directory',
      use: fileData,
      title: 'List directory',
      description:
        'Lists the names in one directory, hidden and ignored ones too, each with its type. ' +
        'For everything below it use directory_tree.',
      aliases: ['filesystem/list', 'filesystem/list_directory'],
      input: {
        type: 'object',
        properties: {
          path: pathOf('The directory to list'),
          offset: offsetArgument,
          limit: {
            type: 'integer',
            minimum: 1,
            maximum: MOST_ENTRIES,
            default: MOST_ENTRIES,
            description: 'How many to list',
          },
        },
        required: ['path'],
        additionalProperties: false,
      },
      output: LISTED,
    },
    ({ path, offset, limit }) =>
      jail.inside({ path }, async dir => {
        const all = await readdir(dir.at(), { withFileTypes: true })
        all.sort((a, b) => (a.name < b.name ? -1 : 1))
        const { items, page } = pageOf(all, { offset, limit })
        const { total, next } = page
        const entries = items.map(entry => ({ name: entry.name, type: typeOf(entry) }))
        const rest = next === undefined ? {} : { omitted: total - next, next }
        return { path: shown(jail, dir.path), entries, total, ...rest }
      }),
  )

/** What an entry of a directory is, in a word. */
export function typeOf(entry: Dirent): 'file' | 'directory' | 'link' | 'other' {
  if (entry.isFile()) return 'file'
  if (entry.isDirectory()) return 'directory'
  return entry.isSymbolicLink() ? 'link' : 'other'
}
