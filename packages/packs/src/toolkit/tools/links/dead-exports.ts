import { tool } from '@causeway/engine'
import type { Context, Tool } from '@causeway/engine'
import { anyGlobAbove } from '../../../support/patterns/glob.ts'
import { fileData } from '../../../support/file-data.ts'
import { notRead } from '../../formats/not-read.ts'
import { deadExports, isIndex, openFiles } from '../../structure/dead-exports.ts'
import type { DeadExport } from '../../structure/dead-exports.ts'
import { PAGING, PROJECT_PATH, TOOLCHAIN, measure, paged } from '../analysis.ts'
import type { Bench, Measured } from '../analysis.ts'
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
      const dead = await deadIn(bench, found, { entries, ctx })
      const kept = dead.filter(one => include_used_inside || !one.used_inside)
      const { items, ...page } = paged(kept, { limit, offset })
      const inside = dead.filter(one => one.used_inside).length
      const summary = { files_read: found.files.length, used_only_inside: inside }
      return { summary, ...page, exports: items, ...notRead(found) }
    },
  )

interface Asked {
  readonly entries: readonly string[]
  readonly ctx: Context
}

async function deadIn(bench: Bench, found: Measured, { entries, ctx }: Asked): Promise<DeadExport[]> {
  const { root, below, files, prefix } = found
  const { offered, gives } = await linked(bench, found, ctx)
  const isNamed = anyGlobAbove(entries)
  const named = files.map(({ file }) => file).filter(file => isIndex(file) || isNamed(file.slice(prefix.length)))
  const open = openFiles([...offered, ...named], gives)
  const dead = deadExports(files, file => open.has(file))
  if (dead.length === 0) return []
  const names = [...new Set(dead.map(({ name }) => name))]
  const asked = { root, below, names }
  const mentioned = new Set(await bench.pool.mentioned(asked, { signal: ctx.signal, client: ctx.clientKey }))
  return dead.filter(({ name }) => !mentioned.has(name))
}
