import { tool } from '@causeway/engine'
import type { Tool } from '@causeway/engine'
import { clip } from '../../support/processes/spool.ts'
import { orRoot, pathOf } from '../workspace.ts'
import { shown } from '../../support/files/shown.ts'
import type { Workspace } from '../workspace.ts'
import type { TreeInput, tree } from './directory-tree-job.ts'
import { fileData } from '../../support/file-data.ts'

const MOST_ENTRIES = 5000
const LONGEST_MS = 30_000

/** Shows what is below a directory. */
export const directoryTree = ({ jail, textBytes, threads }: Workspace): Tool =>
  tool(
    {
      name: 'directory_tree',
      use: fileData,
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
    async ({ path, depth, includeIgnored }, { signal, clientKey: client }) => {
      const real = await jail.inside({ path: orRoot(path) }, dir => Promise.resolve(dir.path))
      const { root, path: start } = jail.below(real)
      const input: TreeInput = { root, start, depth, includeIgnored, most: MOST_ENTRIES }
      const { lines, more } = await threads.run<ReturnType<typeof tree>>('tree', input, {
        signal,
        client,
        deadlineMs: LONGEST_MS,
      })
      const note = `[Only the first ${lines.length} are shown. Begin further down, or ask for less depth.]`
      return clip([`${shown(jail, real)}/`, ...lines, ...(more ? [note] : [])].join('\n'), textBytes)
    },
  )
