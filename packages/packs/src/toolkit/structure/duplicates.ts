/** The tokens of one file. */
export interface Tokens {
  readonly file: string
  readonly hashes: Uint32Array
  readonly lines: Uint32Array
}

/** Where a piece of code stands. */
export interface Copy {
  readonly file: string
  readonly line: number
  readonly end_line: number
}

/** Code that stands in several places. */
export interface Duplicate {
  readonly tokens: number
  readonly lines: number
  /** In how many places. */
  readonly count: number
  /** The first of them. */
  readonly copies: readonly Copy[]
}

interface Spot {
  readonly file: number
  readonly at: number
}

const MOST_COPIES = 20
const BASE = 16_777_619

/**
 * Find code that was copied: runs of at least so many tokens that are alike, comments and layout aside. Runs are looked
 * for where lines begin, each is made as long as it goes, and none is reported twice.
 */
export function findDuplicates(files: readonly Tokens[], least: number): Duplicate[] {
  const seen = new Map<number, Spot>()
  const found = new Map<string, { first: Spot; length: number; spots: Spot[] }>()
  for (const [file, tokens] of files.entries()) {
    const windows = windowsOf(tokens.hashes, least)
    for (let at = 0; at < windows.length;) {
      if (!startsLine(tokens, at)) {
        at += 1
        continue
      }
      const spot = { file, at }
      const first = seen.get(windows[at]!)
      const length = first ? common(files, first, spot) : 0
      if (!first || length < least) {
        if (!first) seen.set(windows[at]!, spot)
        at += 1
        continue
      }
      add(found, { first, spot, length })
      at += length
    }
  }
  return [...found.values()]
    .map(({ first, length, spots }) => described(files, [first, ...spots], length))
    .sort((a, b) => b.tokens * (b.count - 1) - a.tokens * (a.count - 1))
}

function add(
  found: Map<string, { first: Spot; length: number; spots: Spot[] }>,
  { first, spot, length }: { first: Spot; spot: Spot; length: number },
): void {
  const key = `${first.file}:${first.at}`
  const known = found.get(key) ?? { first, length, spots: [] }
  found.set(key, known)
  known.length = Math.min(known.length, length)
  known.spots.push(spot)
}

const startsLine = ({ lines }: Tokens, at: number): boolean => at === 0 || lines[at] !== lines[at - 1]

/** By token: a number for the run of so many tokens that begins with it. */
function windowsOf(hashes: Uint32Array, size: number): Float64Array {
  const count = Math.max(0, hashes.length - size + 1)
  const windows = new Float64Array(count)
  let high = 1
  for (let i = 1; i < size; i++) high = Math.imul(high, BASE)
  let low = 0
  let rolling = 0
  for (let i = 0; i < hashes.length; i++) {
    if (i >= size) {
      rolling = (rolling - Math.imul(hashes[i - size]!, high)) | 0
      low = low ^ rotated(hashes[i - size]!, (size - 1) % 32)
    }
    rolling = (Math.imul(rolling, BASE) + hashes[i]!) | 0
    low = rotated(low, 1) ^ hashes[i]!
    if (i >= size - 1) windows[i - size + 1] = (rolling >>> 0) * 2 ** 21 + (low >>> 11)
  }
  return windows
}

const rotated = (value: number, by: number): number => (value << by) | (value >>> (32 - by))

/** How many tokens are alike from two places on, without running into each other. */
function common(files: readonly Tokens[], a: Spot, b: Spot): number {
  const left = files[a.file]!.hashes
  const right = files[b.file]!.hashes
  const most = Math.min(left.length - a.at, right.length - b.at, a.file === b.file ? b.at - a.at : Infinity)
  let length = 0
  while (length < most && left[a.at + length] === right[b.at + length]) length += 1
  return length
}

function described(files: readonly Tokens[], spots: readonly Spot[], length: number): Duplicate {
  const copies = spots.slice(0, MOST_COPIES).map(({ file, at }) => {
    const { file: name, lines } = files[file]!
    return { file: name, line: lines[at]!, end_line: lines[at + length - 1]! }
  })
  const [first] = copies
  return { tokens: length, lines: first ? first.end_line - first.line + 1 : 0, count: spots.length, copies }
}
