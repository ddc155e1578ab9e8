import { tool } from '@causeway/engine'
import type { Tool } from '@causeway/engine'
import { anyGlobAbove } from '../../support/patterns/glob.ts'
import { fileData } from '../../support/file-data.ts'
import { notRead } from '../formats/not-read.ts'
import { deadExports, isIndex, openFiles } from '../structure/dead-exports.ts'
import { PAGING, PROJECT_PATH, TOOLCHAIN, measure, paged } from './analysis.ts'
import type { Bench } from './analysis.ts'
import { linked } from './network.ts'

/** Finds exports that are not used. */
export const findDeadExports = (bench: Bench): Tool =>
  tool(
    {
      name: 'find_dead_exports',
      task: 'optional',
      use: fileData,
      title: 'Find Dead Exports',
      description:
        'Find what is exported but named in no other file or template of the project and not offered by its packages. ' +
        'By name, so what is used through reflection or from outside shows up too',
      readOnly: true,
      openWorld: false,
      input: {
        type: 'object',
        properties: {
          project_path: PROJECT_PATH,
          toolchain: TOOLCHAIN,
          entries: {
            type: 'array',
            items: { type: 'string', minLength: 1, maxLength: 1000 },
            maxItems: 100,
            description:
              'Files whose exports are meant for others, such as src/api/**; index and main files always are',
          },
          include_used_inside: {
            type: 'boolean',
            default: false,
            description: 'List what its own file uses too: it need not be exported, but is not dead',
          },
          ...PAGING,
        },
        required: ['project_path'],
        additionalProperties: false,
      },
    },
    async ({ entries = [], include_used_inside, limit, offset, ...subject }, ctx) => {
      const found = await measure(bench, { ...subject, ask: 'words' }, ctx)
      const { offered, gives } = await linked(bench, found, ctx)
      const isNamed = anyGlobAbove(entries)
      const bare = (file: string): string => file.slice(found.prefix.length)
      const named = found.files.map(({ file }) => file).filter(file => isIndex(file) || isNamed(bare(file)))
      const open = openFiles([...offered, ...named], gives)
      const byCode = deadExports(found.files, { isEntry: file => open.has(file) })
      const { root, below } = found
      const asked = { root, below, names: [...new Set(byCode.map(({ name }) => name))] }
      const mentioned = new Set(
        asked.names.length === 0
          ? []
          : await bench.pool.mentioned(asked, { signal: ctx.signal, client: ctx.clientKey }),
      )
      const dead = byCode.filter(({ name }) => !mentioned.has(name))
      const { items, ...page } = paged(
        dead.filter(one => include_used_inside || !one.used_inside),
        { limit, offset },
      )
      const inside = dead.filter(one => one.used_inside).length
      return {
        summary: { files_read: found.files.length, used_only_inside: inside },
        ...page,
        exports: items,
        ...notRead(found),
      }
    },
  )
