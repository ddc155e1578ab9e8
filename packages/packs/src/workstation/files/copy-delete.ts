import { lstat, readdir, rmdir, unlink } from 'node:fs/promises'
import { fault, text, tool } from '@causeway/engine'
import type { Context, Tool } from '@causeway/engine'
import { copyInto, reading } from '../../support/files/file.ts'
import { refuseProtected, refuseProtectedBelow } from '../../support/git/protect.ts'
import type { Held, Place } from '../../support/files/jail.ts'
import { quote } from '../../support/quote.ts'
import { pathOf } from '../workspace.ts'
import { shown } from '../../support/files/shown.ts'
import type { Workspace } from '../workspace.ts'

const MOST_BYTES = 1024 * 1024 * 1024

/** Copies one file. */
export const copyFile = ({ jail }: Workspace): Tool =>
  tool(
    {
      name: 'copy_file',
      title: 'Copy file',
      description:
        'Copies one file, byte for byte; missing directories are created. Fails if the destination exists already.',
      readOnly: false,
      destructive: false,
      idempotent: false,
      openWorld: false,
      aliases: ['filesystem/copy', 'filesystem/copy_file'],
      input: {
        type: 'object',
        properties: { source: pathOf('The file to copy'), destination: pathOf('The path of the copy, with its name') },
        required: ['source', 'destination'],
        additionalProperties: false,
      },
    },
    async ({ source, destination }, { signal }) => {
      refuseProtected(jail, await jail.resolve(destination, 'destination'), {
        path: destination,
        argument: 'destination',
      })
      return jail.at({ path: source, argument: 'source' }, from =>
        reading(from, (file, { size, mode }) => {
          if (size > MOST_BYTES)
            throw new Error(`${quote(source)} is larger than ${MOST_BYTES} bytes, too large to copy`)
          return jail.at({ path: destination, argument: 'destination', link: true, make: true }, async to => {
            refuseProtected(jail, to.path, { path: destination, argument: 'destination' })
            await copyInto(file, to, { mode, most: MOST_BYTES, signal })
            return text(`Copied ${shown(jail, from.path)} to ${shown(jail, to.path)} (${size} bytes)`)
          })
        }),
      )
    },
  )

/** Deletes a directory. */
export const deleteDirectory = ({ jail }: Workspace): Tool =>
  tool(
    {
      name: 'delete_directory',
      title: 'Delete directory',
      description:
        'Deletes a directory and everything in it permanently. The user is asked if possible; otherwise confirm must be true.',
      readOnly: false,
      destructive: true,
      idempotent: false,
      openWorld: false,
      aliases: ['filesystem/rmdir', 'filesystem/delete_directory'],
      input: {
        type: 'object',
        properties: {
          path: pathOf('The directory to delete'),
          confirm: { type: 'boolean', default: false, description: 'Confirm that everything in it is deleted' },
        },
        required: ['path'],
        additionalProperties: false,
      },
    },
    ({ path, confirm }, ctx) =>
      jail.at({ path, link: true }, async place => {
        refuseProtected(jail, place.path, { path })
        if (jail.roots.some(root => root === place.path || root.startsWith(`${place.path}/`)))
          throw new Error(`${quote(path)} is a root, or has one in it, and is not deleted`)
        if (!(await lstat(place.at)).isDirectory())
          throw new Error(`${quote(path)} is no directory. To delete a file use delete_file.`)
        await refuseProtectedBelow(jail, place, { path })
        await confirmed(place, confirm ?? false, ctx)
        const count = await place.dir.enter(place.name, dir => empty(dir, ctx.signal))
        await rmdir(place.at)
        return text(`Deleted ${shown(jail, place.path)} with ${count} entr${count === 1 ? 'y' : 'ies'} in it`)
      }),
  )

/** Ask the user if the client can be asked; a model's answer counts only if no person can be asked. */
async function confirmed(place: Place, confirm: boolean, ctx: Context): Promise<void> {
  if (ctx.supports('elicitation')) {
    const message = `Delete the directory ${place.path} and everything in it permanently?`
    const schema = {
      type: 'object',
      properties: { delete: { type: 'boolean', title: 'Delete it' } },
      required: ['delete'],
    } as const
    const answer = await ctx.elicit('delete-directory', { message, schema })
    if (answer.action === 'accept' && answer.content.delete) return
    throw new Error(`The user did not agree, so ${quote(place.path)} was not deleted`)
  }
  if (confirm) return
  throw fault(
    'invalid-arguments',
    "Parameter 'confirm' must be true to delete a directory with everything in it. Make sure that this is what is wanted.",
    { argument: 'confirm' },
  )
}

/** Delete what is in a directory that is held open, so that no link put there meanwhile leads elsewhere. */
async function empty(dir: Held, signal: AbortSignal): Promise<number> {
  let count = 0
  for (const entry of await readdir(dir.at(), { withFileTypes: true })) {
    signal.throwIfAborted()
    if (entry.isDirectory()) {
      count += await dir.enter(entry.name, inner => empty(inner, signal))
      await rmdir(dir.at(entry.name))
    } else await unlink(dir.at(entry.name))
    count++
  }
  return count
}
