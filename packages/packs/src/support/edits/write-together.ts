import type { Context } from '@causeway/engine'
import { readAll, reading, replace } from '../files/file.ts'
import type { Jail, Place } from '../files/jail.ts'
import { refuseProtected } from '../git/protect.ts'
import { clip } from '../processes/spool.ts'
import { quote } from '../quote.ts'
import { decode, encode } from '../files/encoding.ts'
import { shown } from '../files/shown.ts'
import { inAllTurns } from '../threads/turns.ts'
import type { Edits } from './edits.ts'
import { unifiedDiff } from './diff.ts'

/** A text as it was when the change was thought out, and as it shall be. */
export interface Change {
  /** The real path. */
  readonly path: string
  readonly before: string
  readonly after: string
}

/** Where to write, and what to remember it in. */
export interface Desk {
  readonly jail: Jail
  readonly edits: Edits
}

/** How to write. */
export interface Writing {
  /** The tool that writes, for the list of edits. */
  readonly tool: string
  readonly dryRun: boolean
}

const MARK = '\uFEFF'

/**
 * Change several files, all or none: nothing is written if one of them is protected or is not any more what it was, and
 * what was written is taken back if one of them cannot be. The answer is the diff of all.
 */
export async function writeTogether(
  { jail, edits }: Desk,
  changes: readonly Change[],
  { tool, dryRun }: Writing,
  ctx: Context,
): Promise<string> {
  const sorted = [...changes].filter(({ before, after }) => before !== after).sort((a, b) => (a.path < b.path ? -1 : 1))
  const diffs = sorted.map(({ path, before, after }) => unifiedDiff(shown(jail, path), before, after))
  for (const { path } of sorted) refuseProtected(jail, path, { path: shown(jail, path) })
  const keys = sorted.map(({ path }) => path)
  if (!dryRun) await inAllTurns(edits.inTurn, keys, () => writeAll({ jail, edits }, sorted, tool, ctx))
  return clip(diffs.join('\n') || 'Nothing changed', edits.textBytes)
}

async function writeAll(desk: Desk, changes: readonly Change[], tool: string, ctx: Context): Promise<void> {
  const olds: Buffer[] = []
  for (const change of changes) olds.push(await at(desk, change.path, place => unchanged(desk, place, change)))
  const news = changes.map(({ after }, i) => inEncodingOf(olds[i], after))
  let done = 0
  try {
    for (; done < changes.length; done++) {
      const text = news[done] ?? ''
      await at(desk, changes[done]?.path ?? '', place => replace(place, text))
    }
  } catch (error) {
    for (const [i, { path }] of changes.slice(0, done).entries()) {
      await at(desk, path, place => replace(place, olds[i] ?? '')).catch(() => {})
    }
    throw error
  }
  const group = changes.length > 1 ? crypto.randomUUID() : undefined
  for (const [i, { path }] of changes.entries()) {
    desk.edits.journal.add(ctx, { tool, path, before: olds[i], after: news[i], group })
  }
}

/** A new text stored like the old one, its mark of the byte order included. */
function inEncodingOf(old: Buffer | undefined, after: string): Buffer {
  const { text = '', encoding = 'utf-8' } = (old && decode(old)) ?? {}
  return encode({ text: text.startsWith(MARK) ? MARK + after : after, encoding })
}

const at = <T>({ jail }: Desk, path: string, work: (place: Place) => Promise<T>): Promise<T> =>
  jail.at({ path, link: true }, place => {
    refuseProtected(jail, place.path, { path: shown(jail, path) })
    return work(place)
  })

async function unchanged(
  { jail, edits: { textBytes } }: Desk,
  place: Place,
  { path, before }: Change,
): Promise<Buffer> {
  const bytes = await reading(place, file => readAll(file, textBytes))
  const name = quote(shown(jail, path))
  if (!bytes) throw new Error(`${name} is larger than ${textBytes} bytes, too large to edit. Nothing was written.`)
  const text = decode(bytes)?.text
  if (text === undefined) throw new Error(`${name} is no text, so it cannot be edited. Nothing was written.`)
  if (text.replace(/^\uFEFF/, '') !== before)
    throw new Error(`${name} changed meanwhile, so nothing was written. Try again.`)
  return bytes
}
