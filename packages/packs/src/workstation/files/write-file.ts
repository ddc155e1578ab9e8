import { lstat, rename, unlink } from 'node:fs/promises'
import { dirname, sep } from 'node:path'
import { text, tool } from '@causeway/engine'
import type { Tool } from '@causeway/engine'
import { isMissing, nothingAt } from '../../support/files/errno.ts'
import { replace } from '../../support/files/file.ts'
import { topMissing } from '../../support/files/top-missing.ts'
import { refuseAboveProtected, refuseProtected, refuseProtectedBelow } from '../../support/git/protect.ts'
import { quote } from '../../support/quote.ts'
import { contentsOf } from '../../support/edits/undo-journal.ts'
import { pathOf } from '../workspace.ts'
import { shown } from '../../support/files/shown.ts'
import type { Workspace } from '../workspace.ts'

/** Writes one file. */
export const writeFile = ({ jail, inTurn, journal }: Workspace): Tool =>
  tool(
    {
      name: 'write_file',
      title: 'Write file',
      description:
        'Creates a text file, or replaces an existing one, in one step; missing directories are created. ' +
        'To change parts of a file use edit_file.',
      readOnly: false,
      destructive: true,
      idempotent: true,
      openWorld: false,
      aliases: ['filesystem/write', 'filesystem/write_file'],
      input: {
        type: 'object',
        properties: {
          path: pathOf('The file to write'),
          content: { type: 'string', description: 'The whole new contents', 'x-audit': 'omit' },
        },
        required: ['path', 'content'],
        additionalProperties: false,
      },
    },
    async ({ path, content }, ctx) => {
      const real = await jail.resolve(path)
      refuseProtected(jail, real, { path })
      return inTurn(real, async () => {
        const made = await topMissing(dirname(real))
        return jail.at({ path, make: true }, async place => {
          refuseProtected(jail, place.path, { path })
          const before = await contentsOf(place)
          await replace(place, content)
          journal.add(ctx, { tool: 'write_file', path: place.path, before, after: content, made })
          return text(`Wrote ${Buffer.byteLength(content)} bytes to ${shown(jail, place.path)}`)
        })
      })
    },
  )

/** Deletes one file. */
export const deleteFile = ({ jail, journal }: Workspace): Tool =>
  tool(
    {
      name: 'delete_file',
      title: 'Delete file',
      description: 'Deletes one file; undo_edit brings it back. For directories use delete_directory.',
      readOnly: false,
      destructive: true,
      idempotent: false,
      openWorld: false,
      aliases: ['filesystem/delete', 'filesystem/delete_file'],
      input: {
        type: 'object',
        properties: { path: pathOf('The file to delete') },
        required: ['path'],
        additionalProperties: false,
      },
    },
    ({ path }, ctx) =>
      jail.at({ path, link: true }, async place => {
        refuseProtected(jail, place.path, { path })
        const stats = await lstat(place.at)
        if (stats.isDirectory())
          throw new Error(`This is a directory, and not deleted: ${quote(path)}. Use delete_directory.`)
        const before = stats.isFile() ? await contentsOf(place) : 'unknown'
        await unlink(place.at)
        journal.add(ctx, { tool: 'delete_file', path: place.path, before, after: undefined })
        return text(`Deleted ${shown(jail, place.path)}`)
      }),
  )

/** Makes a directory. */
export const createDirectory = ({ jail }: Workspace): Tool =>
  tool(
    {
      name: 'create_directory',
      title: 'Create directory',
      description: 'Creates a directory (folder) and any missing parents; an existing one is left unchanged.',
      readOnly: false,
      destructive: false,
      idempotent: true,
      openWorld: false,
      aliases: ['filesystem/mkdir', 'filesystem/create_directory'],
      input: {
        type: 'object',
        properties: { path: pathOf('The directory to create') },
        required: ['path'],
        additionalProperties: false,
      },
    },
    async ({ path }) => {
      refuseProtected(jail, await jail.resolve(path), { path })
      return jail.inside({ path, make: true }, dir =>
        Promise.resolve(text(`The directory ${shown(jail, dir.path)} is there`)),
      )
    },
  )

/** Moves or renames. */
export const moveFile = ({ jail }: Workspace): Tool =>
  tool(
    {
      name: 'move_file',
      title: 'Move file',
      description:
        'Moves or renames a file or directory inside the roots; missing directories are created. Fails if the destination exists.',
      readOnly: false,
      destructive: false,
      idempotent: false,
      openWorld: false,
      aliases: ['filesystem/move', 'filesystem/move_file'],
      input: {
        type: 'object',
        properties: {
          source: pathOf('What to move'),
          destination: pathOf('Its new path, including the name'),
        },
        required: ['source', 'destination'],
        additionalProperties: false,
      },
    },
    ({ source, destination }) =>
      jail.at({ path: source, argument: 'source', link: true }, async from => {
        refuseProtected(jail, from.path, { path: source, argument: 'source' })
        const stats = await lstat(from.at).catch(() => {
          throw nothingAt(source, new Error(`No such file or directory: ${quote(source)}`))
        })
        if (stats.isDirectory()) await refuseProtectedBelow(jail, from, { path: source, argument: 'source' })
        const asked = { path: destination, argument: 'destination', link: true }
        const target = await jail.locate(asked)
        refuseProtected(jail, target, { path: destination, argument: 'destination' })
        refuseAboveProtected(jail, target, { path: destination, argument: 'destination' })
        // Nothing is made inside of what is moved.
        const make = !target.startsWith(`${from.path}${sep}`)
        return jail.at({ ...asked, make }, async to => {
          refuseProtected(jail, to.path, { path: destination, argument: 'destination' })
          refuseAboveProtected(jail, to.path, { path: destination, argument: 'destination' })
          if (!(await lstat(to.at).then(() => false, isMissing)))
            throw new Error(
              `The destination exists already: ${quote(destination)}. Choose another name, or delete it first.`,
            )
          await rename(from.at, to.at)
          return text(`Moved ${shown(jail, from.path)} to ${shown(jail, to.path)}`)
        })
      }),
  )
