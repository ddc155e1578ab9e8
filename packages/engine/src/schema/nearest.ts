const LONGEST = 128

/** The known names that come closest to what was written, nearest first. */
export function nearest(written: string, known: Iterable<string>, count = 3): string[] {
  if (written.length === 0 || written.length > LONGEST) return []
  const word = written.toLowerCase()
  const scored: { name: string; far: number }[] = []
  for (const name of known) {
    if (name.length > LONGEST) continue
    // One edit in three letters: of a name of one or two, nothing would be left to recognise.
    const within = Math.floor(Math.max(word.length, name.length) / 3)
    const far = distance(word, name.toLowerCase(), within)
    if (far <= within) scored.push({ name, far })
  }
  scored.sort((a, b) => a.far - b.far || (a.name < b.name ? -1 : 1))
  return scored.slice(0, count).map(({ name }) => name)
}

/** Edits from one word to the other, a swap of neighbours counting once; more than `most` is just more. */
export function distance(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) > most) return most + 1
  let before: number[] = []
  let above = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const swap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      row[j] = Math.min(
        at(above, j) + 1,
        at(row, j - 1) + 1,
        at(above, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1),
        swap ? at(before, j - 2) + 1 : Infinity,
      )
    }
    if (Math.min(...row) > most) return most + 1
    before = above
    above = row
  }
  return at(above, b.length)
}

const at = (row: readonly number[], j: number): number => row[j] ?? Infinity

/** "Did you mean …?", or nothing when nothing comes close. */
export function didYouMean(written: string, known: Iterable<string>): string | undefined {
  const names = nearest(written, known)
  return names.length === 0 ? undefined : `Did you mean ${orOf(names)}?`
}

/** `'a' or 'b'`. */
export const orOf = (names: readonly string[]): string => names.map(name => `'${name}'`).join(' or ')
