import { tool } from '@causeway/engine'
import type { Context, Tool } from '@causeway/engine'
import { readAll, reading, replace } from '../../support/files/file.ts'
import { refuseProtected } from '../../support/git/protect.ts'
import type { ThreadPool } from '../../support/threads/thread-pool.ts'
import { quote } from '../../support/quote.ts'
import { pathOf } from '../workspace.ts'
import { shown } from '../../support/files/shown.ts'
import type { Workspace } from '../workspace.ts'
import { edited } from './edit-job.ts'
import type { EditInput, Edited } from './edit-job.ts'
import { EditError } from './apply-edits.ts'
import { decode, encode } from '../../support/files/encoding.ts'

const SMALL = 64 * 1024
const FEW = 20
const LONGEST_MS = 20_000

const input = {
  type: 'object',
  properties: {
    path: pathOf('The file to change'),
    edits: {
      type: 'array',
      minItems: 1,
      description: 'Replacements, made one after the other',
      items: {
        type: 'object',
        properties: {
          oldText: { type: 'string', description: 'The text to replace, exactly, with white space', 'x-audit': 'omit' },
          newText: { type: 'string', description: 'The text to put in its place', 'x-audit': 'omit' },
          replaceAll: { type: 'boolean', description: 'Replace every occurrence, not just a single one' },
        },
        required: ['oldText', 'newText'],
        additionalProperties: false,
      },
    },
    dryRun: { type: 'boolean', default: false, description: 'Only show what would change' },
  },
  required: ['path', 'edits'],
  additionalProperties: false,
} as const

/** Changes parts of one file. */
export const editFile = ({ jail, textBytes, inTurn, threads, journal }: Workspace): Tool =>
  tool(
    {
      name: 'edit_file',
      title: 'Edit file',
      description:
        'Replaces exact pieces of text in one existing file and returns a diff: all edits are made, or none. ' +
        'With dryRun nothing is written. For new files or new contents use write_file.',
      readOnly: false,
      destructive: true,
      idempotent: false,
      openWorld: false,
      aliases: ['filesystem/edit', 'filesystem/edit_file'],
      input,
    },
    async ({ path, edits, dryRun }, ctx) => {
      const real = await jail.resolve(path)
      return inTurn(real, () =>
        jail.at({ path }, async place => {
          refuseProtected(jail, place.path, { path })
          const bytes = await reading(place, file => readAll(file, textBytes))
          if (!bytes) throw new Error(`${quote(path)} is larger than ${textBytes} bytes, too large to edit`)
          const decoded = decode(bytes)
          if (decoded === undefined) throw new Error(`${quote(path)} is no text, so it cannot be edited`)
          const { text: before, encoding } = decoded
          const { after, diff } = await make(
            threads,
            { path: shown(jail, place.path), before, edits, bytes: textBytes },
            ctx,
          )
          if (!dryRun && after !== before) {
            const written = encode({ text: after, encoding })
            await replace(place, written)
            journal.add(ctx, { tool: 'edit_file', path: place.path, before: bytes, after: written })
          }
          return diff || 'Nothing changed'
        }),
      )
    },
  )

/** Small edits take less time than sending them to a thread; what is large, or does not fit, is looked at there. */
async function make(threads: ThreadPool, input: EditInput, ctx: Context): Promise<Edited> {
  const isSmall = input.before.length <= SMALL && input.edits.length <= FEW
  try {
    if (isSmall) return edited(input)
  } catch (error) {
    if (!(error instanceof EditError)) throw error
  }
  return threads.run('edit', input, { signal: ctx.signal, client: ctx.clientKey, deadlineMs: LONGEST_MS })
}
