import { changedRanges } from './line-diff.ts'
import type { Range } from './line-diff.ts'

const AROUND = 3

/** A unified diff of two texts; empty if they are the same. */
export function unifiedDiff(path: string, before: string, after: string): string {
  if (before === after) return ''
  const [a, b] = [lines(before), lines(after)]
  const ranges = changedRanges(a, b)
  return [`--- a/${path}`, `+++ b/${path}`, ...grouped(ranges).flatMap(group => hunk(a, b, group))].join('\n')
}

/** Lines keep their end, so that a missing last newline is a difference. */
function lines(text: string): string[] {
  const out: string[] = []
  for (let from = 0; from < text.length;) {
    const end = text.indexOf('\n', from)
    out.push(text.slice(from, end < 0 ? text.length : end + 1))
    from = end < 0 ? text.length : end + 1
  }
  return out
}

/** Changes that are near enough to share their surroundings. */
function grouped(ranges: readonly Range[]): Range[][] {
  const groups: Range[][] = []
  let last: Range | undefined
  for (const range of ranges) {
    if (last && range.oldStart - last.oldEnd <= 2 * AROUND) groups.at(-1)?.push(range)
    else groups.push([range])
    last = range
  }
  return groups
}

function hunk(a: readonly string[], b: readonly string[], group: readonly Range[]): string[] {
  const [first, last] = [group[0], group.at(-1)]
  if (!first || !last) return []
  const oldStart = Math.max(0, first.oldStart - AROUND)
  const newStart = first.newStart - (first.oldStart - oldStart)
  const oldEnd = Math.min(a.length, last.oldEnd + AROUND)
  const newEnd = last.newEnd + (oldEnd - last.oldEnd)
  const out = [`@@ -${span(oldStart, oldEnd)} +${span(newStart, newEnd)} @@`]
  let at = oldStart
  for (const range of group) {
    for (; at < range.oldStart; at++) out.push(spelled(' ', a[at]))
    for (; at < range.oldEnd; at++) out.push(spelled('-', a[at]))
    for (let i = range.newStart; i < range.newEnd; i++) out.push(spelled('+', b[i]))
  }
  for (; at < oldEnd; at++) out.push(spelled(' ', a[at]))
  return out
}

const span = (start: number, end: number): string => (end === start ? `${start},0` : `${start + 1},${end - start}`)

const spelled = (sign: string, line = ''): string =>
  line.endsWith('\n') ? sign + line.slice(0, -1) : `${sign}${line}\n\\ No newline at end of file`
