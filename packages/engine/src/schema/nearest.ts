const LONGEST = 128

/** The known names that come closest to what was written, nearest first. */
export function nearest(written: string, known: Iterable<string>, count = 3): string[] {
  if (written.length === 0 || written.length > LONGEST) return []
  const word = written.toLowerCase()
  const best: Scored[] = []
  // To compare letter by letter is dear: those go first that may be nearest, and the rest is left out when enough were nearer.
  for (const [least, names] of byLeastEdits(word, known).entries()) {
    for (const name of names ?? []) {
      const worst = best.length === count ? (best.at(-1)?.far ?? 0) : LONGEST
      const within = Math.min(worst, allowed(word, name))
      if (least > within) continue
      const far = distance(word, name.toLowerCase(), within)
      if (far <= within) insert(best, { name, far }, count)
    }
  }
  return best.map(({ name }) => name)
}

interface Scored {
  readonly name: string
  readonly far: number
}

// One edit in three letters: of a name of one or two, nothing would be left to recognise.
const allowed = (word: string, name: string): number => Math.floor(Math.max(word.length, name.length) / 3)

function insert(best: Scored[], scored: Scored, count: number): void {
  best.push(scored)
  best.sort((a, b) => a.far - b.far || (a.name < b.name ? -1 : 1))
  if (best.length > count) best.pop()
}

/** Names by the fewest edits their letters allow, without those that cannot be near enough. */
function byLeastEdits(word: string, known: Iterable<string>): (string[] | undefined)[] {
  const letters = lettersOf(word)
  const names: (string[] | undefined)[] = []
  for (const name of known) {
    if (name.length > LONGEST) continue
    const within = allowed(word, name)
    if (Math.abs(word.length - name.length) > within) continue
    const least = leastEdits(letters, name)
    if (least <= within) (names[least] ??= []).push(name)
  }
  return names
}

const BUCKETS = 32
const counts = new Int16Array(BUCKETS)

/** How often each letter occurs, whatever its case; others that share a bucket only make names look more alike. */
function lettersOf(word: string): Int16Array {
  const letters = new Int16Array(BUCKETS)
  for (let i = 0; i < word.length; i++) {
    const bucket = word.charCodeAt(i) % BUCKETS
    letters[bucket] = (letters[bucket] ?? 0) + 1
  }
  return letters
}

/** One edit makes up for one letter too many and one too few at most. */
function leastEdits(letters: Int16Array, name: string): number {
  counts.set(letters)
  for (let i = 0; i < name.length; i++) {
    const bucket = name.charCodeAt(i) % BUCKETS
    counts[bucket] = (counts[bucket] ?? 0) - 1
  }
  let few = 0
  let many = 0
  for (let i = 0; i < BUCKETS; i++) {
    const left = counts[i] ?? 0
    if (left > 0) many += left
    else few -= left
  }
  return Math.max(few, many)
}

/** Edits from one word to the other, a swap of neighbours counting once; more than `most` is just more. */
export function distance(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) > most) return most + 1
  const far = most + 1
  let before = new Int16Array(b.length + 2).fill(far)
  let above = before.map((_, j) => Math.min(j, far))
  let row = before.slice()
  for (let i = 1; i <= a.length; i++) {
    // Outside of this band, more than `most` letters would have to come or go.
    const from = Math.max(1, i - most)
    const to = Math.min(b.length, i + most)
    row[from - 1] = from === 1 ? Math.min(i, far) : far
    row[to + 1] = far
    let least = row[from - 1] ?? far
    for (let j = from; j <= to; j++) {
      const replaced = at(above, j - 1) + (a.charCodeAt(i - 1) === b.charCodeAt(j - 1) ? 0 : 1)
      let edits = Math.min(at(above, j) + 1, at(row, j - 1) + 1, replaced, far)
      if (isSwap(a, b, i, j)) edits = Math.min(edits, at(before, j - 2) + 1)
      row[j] = edits
      if (edits < least) least = edits
    }
    if (least > most) return far
    ;[before, above, row] = [above, row, before]
  }
  return at(above, b.length)
}

const isSwap = (a: string, b: string, i: number, j: number): boolean =>
  i > 1 && j > 1 && a.charCodeAt(i - 1) === b.charCodeAt(j - 2) && a.charCodeAt(i - 2) === b.charCodeAt(j - 1)

const at = (row: Int16Array, j: number): number => row[j] ?? 0

/** "Did you mean …?", or nothing when nothing comes close. */
export function didYouMean(written: string, known: Iterable<string>): string | undefined {
  const names = nearest(written, known)
  return names.length === 0 ? undefined : `Did you mean ${orOf(names)}?`
}

/** `'a' or 'b'`. */
export const orOf = (names: readonly string[]): string => names.map(name => `'${name}'`).join(' or ')
