import { tool } from '@causeway/engine'
import type { Tool } from '@causeway/engine'
import { clip } from '../support/spool.ts'
import { orRoot, pathOf, shown } from './workspace.ts'
import type { Workspace } from './workspace.ts'
import { walk } from './walk.ts'

const MOST_ENTRIES = 5000

/** Shows what is below a directory. */
export const directoryTree = ({ jail, textBytes }: Workspace): Tool =>
  tool(
    {
      name: 'directory_tree',
      title: 'Directory tree',
      description:
        'Shows the names of everything below a directory as an indented tree, to get to know a project; ' +
        'what .gitignore names is left out. For one directory with every name use list_directory.',
      readOnly: true,
      idempotent: true,
      openWorld: false,
      aliases: ['filesystem/tree', 'filesystem/directory_tree'],
      input: {
        type: 'object',
        properties: {
          path: pathOf('Where to begin; default: the first root'),
          depth: { type: 'integer', minimum: 1, maximum: 100, default: 5, description: 'How many levels to show' },
          includeIgnored: { type: 'boolean', default: false, description: 'Show what .gitignore names too' },
        },
        additionalProperties: false,
      },
    },
    ({ path, depth, includeIgnored }, { signal }) =>
      jail.inside({ path: orRoot(path) }, async dir => {
        const lines = [`${shown(jail, dir.path)}/`]
        await walk(jail, dir, {
          signal,
          depth,
          ignored: includeIgnored,
          visit: ({ entry, depth: level }) => {
            const mark = entry.isDirectory() ? '/' : entry.isSymbolicLink() ? '@' : ''
            lines.push(`${'  '.repeat(level)}${entry.name}${mark}`)
            return lines.length <= MOST_ENTRIES
          },
        })
        if (lines.length > MOST_ENTRIES) {
          lines.pop()
          lines.push(`[Only the first ${lines.length - 1} are shown. Begin further down, or ask for less depth.]`)
        }
        return clip(lines.join('\n'), textBytes)
      }),
  )
