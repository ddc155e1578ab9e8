import { createHash } from 'node:crypto'
import type { Context } from '@causeway/engine'
import { isMissing } from '../files/errno.ts'
import { readAll, reading } from '../files/file.ts'
import type { Place } from '../files/jail.ts'
import { clientKey, whenOver } from '../client-key.ts'

/** One change of a file: what it was, and a digest of what it became; undefined where there was or is no file. */
export interface Edit {
  readonly tool: string
  /** The real path. */
  readonly path: string
  readonly before: Buffer | undefined
  readonly after: string | undefined
  /** The topmost directory that was made for it. */
  readonly made?: string | undefined
  /** Edits that were made together, and are undone together. */
  readonly group?: string | undefined
  /** What has to be undone with it, first; throws if it cannot be undone any more. */
  readonly also?: ((ctx: Context) => Promise<void>) | undefined
  readonly at: number
}

// Files that are larger are not remembered.
const MOST_BYTES = 4 * 1024 * 1024
const EDITS_PER_CLIENT = 100
const BYTES_PER_CLIENT = 16 * 1024 * 1024
const BYTES_IN_ALL = 128 * 1024 * 1024

/** Tells contents apart. */
export const digest = (contents: Buffer | string): string => createHash('sha256').update(contents).digest('base64')

/** What a file has in it: undefined if there is none, `unknown` if it is too large to remember or cannot be read. */
export async function contentsOf(place: Place): Promise<Buffer | undefined | 'unknown'> {
  try {
    return (await reading(place, file => readAll(file, MOST_BYTES))) ?? 'unknown'
  } catch (error) {
    return isMissing(error) ? undefined : 'unknown'
  }
}

/** A change that was made. */
export interface JournalEntry {
  readonly tool: string
  readonly path: string
  readonly before: Buffer | undefined | 'unknown'
  readonly after: string | Buffer | undefined
  readonly made?: string | undefined
  readonly group?: string | undefined
  readonly also?: ((ctx: Context) => Promise<void>) | undefined
}

/** What each user of a server changed last, so that it can be undone. Of too much the oldest is forgotten. */
export class UndoJournal {
  readonly #edits = new Map<string, Edit[]>()

  /** Those of a caller, the newest last. */
  of(ctx: Context): readonly Edit[] {
    return this.#edits.get(clientKey(ctx) ?? '') ?? []
  }

  /** Remember a change, if what was there before is known, and whose it is: a client may not undo what others did. */
  add(ctx: Context, { before, after, ...change }: JournalEntry): void {
    const client = clientKey(ctx)
    if (client === undefined || before === 'unknown' || (after !== undefined && after.length > MOST_BYTES)) return
    const edit = { ...change, before, after: after === undefined ? undefined : digest(after), at: performance.now() }
    if (!this.#edits.has(client)) whenOver(ctx, () => void this.#edits.delete(client))
    const mine = [...this.of(ctx), edit]
    while (unitsIn(mine) > EDITS_PER_CLIENT || sizeOf(mine) > BYTES_PER_CLIENT) forgetFirst(mine)
    // The one who wrote last stands last.
    this.#edits.delete(client)
    this.#edits.set(client, mine)
    while (sizeOf([...this.#edits.values()].flat()) > BYTES_IN_ALL) this.#forgetOldest()
  }

  remove(ctx: Context, edit: Edit): void {
    const mine = this.of(ctx).filter(other => other !== edit)
    this.#edits.set(clientKey(ctx) ?? '', mine)
  }

  #forgetOldest(): void {
    const [oldest] = this.#edits.keys()
    if (oldest !== undefined) this.#edits.delete(oldest)
  }
}

// An edit takes some memory of its own too.
const sizeOf = (edits: readonly Edit[]): number =>
  edits.reduce((sum, { before }) => sum + (before?.length ?? 0) + 500, 0)

/** How many times there is something to undo. */
const unitsIn = (edits: readonly Edit[]): number => new Set(edits.map(edit => edit.group ?? edit)).size

/** What was made together is forgotten together: half of it cannot be undone. */
function forgetFirst(edits: Edit[]): void {
  const first = edits.shift()
  if (first?.group === undefined) return
  const rest = edits.filter(({ group }) => group !== first.group)
  edits.splice(0, edits.length, ...rest)
}
