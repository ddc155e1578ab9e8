/** Lines that were replaced by others; either side may be empty. */
export interface Range {
  readonly oldStart: number
  readonly oldEnd: number
  readonly newStart: number
  readonly newEnd: number
}

// Differences between two lines that both sides have only once; more are shown as taken out and put in whole.
const MOST_DIFFERENCES = 500

/** What changed between two lists of lines: around lines that occur once on both sides, found in nearly linear time. */
export function changedRanges(before: readonly string[], after: readonly string[]): Range[] {
  const [a, b] = numbered(before, after)
  const ranges: Range[] = []
  for (const gap of gaps(a, b)) ranges.push(...within(a, b, trimmed(a, b, gap)))
  return ranges.filter(({ oldStart, oldEnd, newStart, newEnd }) => oldStart < oldEnd || newStart < newEnd)
}

/** Lines as numbers, the same for the same line. */
function numbered(before: readonly string[], after: readonly string[]): [Int32Array, Int32Array] {
  const numbers = new Map<string, number>()
  const number = (line: string): number => {
    const known = numbers.get(line) ?? numbers.size
    numbers.set(line, known)
    return known
  }
  return [Int32Array.from(before, number), Int32Array.from(after, number)]
}

/** What lies between the lines that are surely the same: those that occur once on both sides, in the same order. */
function gaps(a: Int32Array, b: Int32Array): Range[] {
  const all = trimmed(a, b, { oldStart: 0, oldEnd: a.length, newStart: 0, newEnd: b.length })
  const out: Range[] = []
  let [oldStart, newStart] = [all.oldStart, all.newStart]
  for (const [oldAt, newAt] of increasing(uniquePairs(a, b, all))) {
    out.push({ oldStart, oldEnd: oldAt, newStart, newEnd: newAt })
    oldStart = oldAt + 1
    newStart = newAt + 1
  }
  out.push({ oldStart, oldEnd: all.oldEnd, newStart, newEnd: all.newEnd })
  return out
}

function uniquePairs(a: Int32Array, b: Int32Array, { oldStart, oldEnd, newStart, newEnd }: Range): [number, number][] {
  const [inA, inB] = [places(a, oldStart, oldEnd), places(b, newStart, newEnd)]
  const pairs: [number, number][] = []
  for (let i = oldStart; i < oldEnd; i++) {
    const line = a[i]!
    const other = inB.get(line)
    if (inA.get(line) === i && other !== undefined && other >= 0) pairs.push([i, other])
  }
  return pairs
}

/** Where each line is; −1 if it is there more than once. */
function places(lines: Int32Array, from: number, to: number): Map<number, number> {
  const at = new Map<number, number>()
  for (let i = from; i < to; i++) at.set(lines[i]!, at.has(lines[i]!) ? -1 : i)
  return at
}

/** The longest part of the pairs whose second numbers rise as the first do. */
function increasing(pairs: readonly (readonly [number, number])[]): (readonly [number, number])[] {
  // For each length, the pair with the lowest end; and before each pair, the one it follows.
  const ends: number[] = []
  const before = new Int32Array(pairs.length)
  pairs.forEach(([, value], i) => {
    let [low, high] = [0, ends.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (pairs[ends[middle]!]![1] < value) low = middle + 1
      else high = middle
    }
    before[i] = low === 0 ? -1 : ends[low - 1]!
    ends[low] = i
  })
  const out: (readonly [number, number])[] = []
  for (let i = ends.at(-1) ?? -1; i >= 0; i = before[i]!) out.push(pairs[i]!)
  return out.toReversed()
}

/** Without what both sides have at the beginning and at the end. */
function trimmed(a: Int32Array, b: Int32Array, range: Range): Range {
  let { oldStart, oldEnd, newStart, newEnd } = range
  while (oldStart < oldEnd && newStart < newEnd && a[oldStart] === b[newStart]) {
    oldStart++
    newStart++
  }
  while (oldStart < oldEnd && newStart < newEnd && a[oldEnd - 1] === b[newEnd - 1]) {
    oldEnd--
    newEnd--
  }
  return { oldStart, oldEnd, newStart, newEnd }
}

/** The fewest changes inside a range, as Myers finds them; or all of it as one, if there are too many. */
function within(a: Int32Array, b: Int32Array, range: Range): Range[] {
  const [n, m] = [range.oldEnd - range.oldStart, range.newEnd - range.newStart]
  if (n === 0 || m === 0) return [range]
  const trail: Int32Array[] = []
  const most = Math.min(n + m, MOST_DIFFERENCES)
  let reach = new Int32Array(2)
  for (let d = 0; d <= most; d++) {
    const next = new Int32Array(2 * d + 1)
    for (let k = -d; k <= d; k += 2) {
      let x = d === 0 ? 0 : furthest(reach, d, k)
      while (x < n && x - k < m && a[range.oldStart + x] === b[range.newStart + x - k]) x++
      next[k + d] = x
      if (x >= n && x - k >= m) return walkBack(trail, { d, x: n, y: m }, range)
    }
    trail.push(next)
    reach = next
  }
  return [range]
}

/** How far one gets on a diagonal with one change more: down from the next diagonal, or right from the one before. */
function furthest(reach: Int32Array, d: number, k: number): number {
  const down = k + 1 <= d - 1 ? reach[k + 1 + d - 1]! : -1
  const right = k - 1 >= 1 - d ? reach[k - 1 + d - 1]! + 1 : -1
  return Math.max(down, right)
}

function walkBack(trail: readonly Int32Array[], end: { d: number; x: number; y: number }, range: Range): Range[] {
  const out: { oldStart: number; oldEnd: number; newStart: number; newEnd: number }[] = []
  let { x, y } = end
  for (let d = end.d; d > 0; d--) {
    const reach = trail[d - 1]!
    const k = x - y
    const down = k + 1 <= d - 1 ? reach[k + 1 + d - 1]! : -1
    const right = k - 1 >= 1 - d ? reach[k - 1 + d - 1]! + 1 : -1
    const isDown = down >= right
    const fromX = isDown ? down : right - 1
    const fromY = isDown ? fromX - (k + 1) : fromX - (k - 1)
    const [toX, toY] = isDown ? [fromX, fromY + 1] : [fromX + 1, fromY]
    const before = out.at(-1)
    // Changes that touch are one.
    if (before && before.oldStart === range.oldStart + toX && before.newStart === range.newStart + toY) {
      before.oldStart = range.oldStart + fromX
      before.newStart = range.newStart + fromY
    } else {
      out.push({
        oldStart: range.oldStart + fromX,
        oldEnd: range.oldStart + toX,
        newStart: range.newStart + fromY,
        newEnd: range.newStart + toY,
      })
    }
    x = fromX
    y = fromY
  }
  return out.toReversed()
}
