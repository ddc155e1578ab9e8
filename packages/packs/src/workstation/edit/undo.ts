import { rmdir, unlink } from 'node:fs/promises'
import { dirname } from 'node:path'
import { tool } from '@causeway/engine'
import type { Context, Tool } from '@causeway/engine'
import { replace } from '../../support/files/file.ts'
import type { Place } from '../../support/files/jail.ts'
import { inAllTurns } from '../../support/threads/turns.ts'
import { refuseProtected } from '../../support/git/protect.ts'
import { quote } from '../../support/quote.ts'
import { contentsOf, digest } from '../../support/edits/undo-journal.ts'
import type { Edit } from '../../support/edits/undo-journal.ts'
import { clientKey } from '../../support/client-key.ts'
import { elsewhere, pathOf } from '../workspace.ts'
import { shown } from '../../support/files/shown.ts'
import type { Workspace } from '../workspace.ts'

const MOST_LISTED = 20

/** Undoes edits. */
export const undoEdit = (workspace: Workspace): Tool =>
  tool(
    {
      name: 'undo_edit',
      title: 'Undo edit',
      description:
        'Undoes the last edit of this session (write_file, edit_file, delete_file, a rename over files), unless a file changed since.',
      readOnly: false,
      destructive: true,
      idempotent: false,
      openWorld: false,
      aliases: ['filesystem/undo'],
      input: {
        type: 'object',
        properties: {
          path: pathOf('Undo the last edit of this file; default: the last one of all'),
          list: { type: 'boolean', default: false, description: 'Only list what can be undone, the last edit first' },
        },
        additionalProperties: false,
      },
    },
    async ({ path, list }, ctx) => {
      const { jail, journal, inTurn } = workspace
      if (clientKey(ctx) === undefined) {
        throw new Error(
          'Edits can be undone within a session or with a token, and this request has neither: another client could have made them. Edit the file again instead.',
        )
      }
      const real = path === undefined ? undefined : await jail.resolve(path)
      const mine = journal.of(ctx).filter(edit => real === undefined || edit.path === real)
      if (list) return listed(workspace, mine)
      const last = mine.at(-1)
      if (!last) {
        const hint = elsewhere(workspace, 'edits')
        throw new Error(`There is nothing to undo${path === undefined ? '' : ` for ${quote(path)}`}.${hint}`)
      }
      const together = last.group === undefined ? [last] : journal.of(ctx).filter(edit => edit.group === last.group)
      return together.length === 1
        ? inTurn(last.path, () => undo(workspace, last, ctx))
        : undoAll(workspace, together, ctx)
    },
  )

function listed({ jail }: Workspace, edits: readonly Edit[]): string {
  if (edits.length === 0) return 'There is nothing to undo'
  const lines = edits
    .slice(-MOST_LISTED)
    .toReversed()
    .map(
      ({ tool: name, path, at }) => `${name} ${shown(jail, path)} ${Math.round((performance.now() - at) / 1000)} s ago`,
    )
  return [...lines, ...(edits.length > MOST_LISTED ? [`and ${edits.length - MOST_LISTED} before these`] : [])].join(
    '\n',
  )
}

/** Undo what was made together, all of it or nothing. */
async function undoAll(workspace: Workspace, edits: readonly Edit[], ctx: Context): Promise<string> {
  const { jail } = workspace
  await inAllTurns(
    workspace.inTurn,
    edits.map(({ path }) => path),
    async () => {
      for (const edit of edits) await jail.at({ path: edit.path, link: true }, place => asLeft(workspace, edit, place))
      for (const edit of edits) await undo(workspace, edit, ctx)
    },
  )
  const names = edits.map(({ path }) => shown(jail, path))
  const some = `${names.slice(0, MOST_LISTED).join(', ')}${names.length > MOST_LISTED ? ' and more' : ''}`
  return `Undid ${edits[0]?.tool} of ${names.length} files: ${some} are as they were before.`
}

/** Is a file still what the edit made of it? */
async function asLeft({ jail }: Workspace, { path, after }: Edit, place: Place): Promise<void> {
  const now = await contentsOf(place)
  if (now === 'unknown' || (now && digest(now)) !== after)
    throw new Error(
      `${quote(shown(jail, path))} was changed by someone else since, so it is left as it is. Read it, and edit it instead.`,
    )
}

async function undo(workspace: Workspace, edit: Edit, ctx: Context): Promise<string> {
  const said = await undoFile(workspace, edit, ctx)
  if (edit.before === undefined && edit.made !== undefined) await removeMade(workspace, edit.path, edit.made)
  return said
}

/** Remove the directories that were made for a file, from the innermost on, as far as they are empty. */
async function removeMade({ jail }: Workspace, path: string, made: string): Promise<void> {
  for (let at = dirname(path); at.length >= made.length; at = dirname(at)) {
    const isGone = await jail
      .at({ path: at, link: true }, place => {
        refuseProtected(jail, place.path, { path: at })
        return rmdir(place.at)
      })
      .then(
        () => true,
        () => false,
      )
    if (!isGone) return
  }
}

async function undoFile(workspace: Workspace, edit: Edit, ctx: Context): Promise<string> {
  const { jail, journal } = workspace
  const { path } = edit
  // A folder on the way may be a link by now.
  refuseProtected(jail, await jail.locate({ path, link: true }), { path })
  return jail.at({ path, make: true, link: true }, async place => {
    refuseProtected(jail, place.path, { path })
    const name = shown(jail, path)
    await asLeft(workspace, edit, place)
    await edit.also?.(ctx)
    if (edit.before !== undefined) await replace(place, edit.before)
    else if (edit.after !== undefined) await unlink(place.at)
    journal.remove(ctx, edit)
    const left = journal.of(ctx).length
    const is = edit.before === undefined ? 'it is gone again' : 'it is as it was before'
    return `Undid ${edit.tool} of ${name}: ${is}. ${left} ${left === 1 ? 'edit' : 'edits'} left to undo.`
  })
}
