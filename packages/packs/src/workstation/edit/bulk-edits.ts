import { findUnique } from './find-unique.ts'

/** One exact replacement. */
export interface Edit {
  readonly oldText: string
  readonly newText: string
  readonly replaceAll?: boolean
}

/** How far many edits came at once. */
export interface Many {
  readonly text: string
  /** How many of the edits, from the first on, were made. */
  readonly made: number
}

interface Replacement {
  readonly start: number
  readonly end: number
  readonly newText: string
}

// Longer ones are left to be made one by one: what is remembered around each change is as long as the longest.
const LONGEST = 1000

/**
 * Make as many edits as can be told, from one pass over the text, to be simple: each found exactly once, in a part that
 * no edit before it touched, and not made up by one. The result is that of making them one after the other; the first
 * edit that is not so simple, and all behind it, are left.
 */
export function applyBulkEdits(text: string, edits: readonly (Edit & { readonly asWritten?: string })[]): Many {
  const until = edits.findIndex(({ oldText, replaceAll }) => replaceAll || oldText.length > LONGEST)
  const simple = until < 0 ? edits : edits.slice(0, until)
  const places = findUnique(
    text,
    simple.map(({ oldText }) => oldText),
  )
  const around = simple.reduce((most, { oldText }) => Math.max(most, oldText.length), 1) - 1
  const draft = new Draft(text, around)
  let made = 0
  for (const { oldText, newText, asWritten = oldText } of simple) {
    const at = places[made]
    if (at === undefined || draft.hasMade(oldText) || (asWritten !== oldText && draft.hasMade(asWritten))) break
    if (!draft.change({ start: at, end: at + oldText.length, newText })) break
    made++
  }
  return { text: draft.text, made }
}

/** A text with changes that are not yet written into it. */
class Draft {
  readonly #base: string
  readonly #around: number
  /** In the order of their places. */
  readonly #changes: Replacement[] = []
  /** What stands where something was changed, each with what is around it, one behind the other. */
  #touched = ''
  /** Of each of these: where it begins, and where the new text in it begins and ends. */
  readonly #windows: { readonly at: number; readonly start: number; readonly end: number }[] = []

  constructor(base: string, around: number) {
    this.#base = base
    this.#around = around
  }

  get text(): string {
    const parts: string[] = []
    let from = 0
    for (const { start, end, newText } of this.#changes) {
      parts.push(this.#base.slice(from, start), newText)
      from = end
    }
    return [...parts, this.#base.slice(from)].join('')
  }

  /** May the text be found where something was changed, made up by what was put there? */
  hasMade(text: string): boolean {
    for (let at = this.#touched.indexOf(text); at >= 0; at = this.#touched.indexOf(text, at + 1)) {
      const window = this.#windows[lastBefore(this.#windows, at, ({ at: start }) => start)]
      // What is only in the surroundings was there before.
      if (window && at < window.end && at + text.length > window.start) return true
    }
    return false
  }

  /** False: something there was changed already. */
  change(change: Replacement): boolean {
    const place = lastBefore(this.#changes, change.start, ({ start }) => start) + 1
    const [before, after] = [this.#changes[place - 1], this.#changes[place]]
    if ((before && before.end > change.start) || (after && after.start < change.end)) return false
    this.#changes.splice(place, 0, change)
    const [left, right] = [this.#left(place), this.#right(place)]
    // A letter between two windows keeps them apart; a text that is found across it is only looked at twice.
    const at = this.#touched.length
    this.#windows.push({ at, start: at + left.length, end: at + left.length + change.newText.length })
    this.#touched += `${left}${change.newText}${right}\0`
    return true
  }

  /** What stands in front of a change now, as far as it can matter. */
  #left(place: number): string {
    let out = ''
    let end = this.#changes[place]?.start ?? 0
    for (let i = place - 1; out.length < this.#around; i--) {
      const before = this.#changes[i]
      const from = Math.max(before?.end ?? 0, end - (this.#around - out.length))
      out = this.#base.slice(from, end) + out
      if (!before || from > before.end) break
      out = before.newText + out
      end = before.start
    }
    return out.slice(Math.max(0, out.length - this.#around))
  }

  #right(place: number): string {
    let out = ''
    let start = this.#changes[place]?.end ?? 0
    for (let i = place + 1; out.length < this.#around; i++) {
      const after = this.#changes[i]
      const to = Math.min(after?.start ?? this.#base.length, start + this.#around - out.length)
      out += this.#base.slice(start, to)
      if (!after || to < after.start) break
      out += after.newText
      start = after.end
    }
    return out.slice(0, this.#around)
  }
}

/** The index of the last item that begins at or before a position; −1 if none does. */
function lastBefore<T>(items: readonly T[], at: number, startOf: (item: T) => number): number {
  let [low, high] = [0, items.length]
  while (low < high) {
    const middle = (low + high) >> 1
    const item = items[middle]
    if (item !== undefined && startOf(item) <= at) low = middle + 1
    else high = middle
  }
  return low - 1
}
