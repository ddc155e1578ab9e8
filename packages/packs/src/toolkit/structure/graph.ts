import { posix } from 'node:path'
import { cyclicGroups } from '../analysis/measure/components.ts'
import type { Edges } from '../analysis/measure/components.ts'

/** The same edges between directories. */
export function byDirectory(edges: Edges<string>): Edges<string> {
  const grouped = new Map<string, Set<string>>()
  for (const [from, to] of edges) {
    const directory = posix.dirname(from)
    const targets = grouped.get(directory) ?? new Set<string>()
    grouped.set(directory, targets)
    for (const file of to) if (posix.dirname(file) !== directory) targets.add(posix.dirname(file))
  }
  return grouped
}

/** A cycle: how many nodes reach each other, and a short way around. */
export interface Cycle {
  readonly size: number
  readonly path: readonly string[]
  /** Only types are taken around it, so that nothing runs in a circle. */
  readonly types_only?: true
}

/** The cycles, the largest first; `running` are the edges that are not only for types. */
export function cyclesIn(edges: Edges<string>, running: Edges<string>): Cycle[] {
  const inMotion = new Set(cyclicGroups(running).flat())
  return cyclicGroups(edges)
    .map(group => {
      const isOfTypes = !group.some(node => inMotion.has(node))
      const path = wayAround(group.toSorted(), edges)
      return Object.assign({ size: group.length, path }, isOfTypes && { types_only: true as const })
    })
    .sort((a, b) => b.size - a.size || (a.path.join() < b.path.join() ? -1 : 1))
}

/** The shortest way from the first node of a group back to it. */
function wayAround(group: readonly string[], edges: Edges<string>): string[] {
  const [start = ''] = group
  const inside = new Set(group)
  const from = new Map<string, string>()
  const queue = [start]
  for (let at = 0; at < queue.length; at++) {
    const node = queue[at]!
    for (const next of edges.get(node) ?? []) {
      if (next === start) return [...traced(from, node), start]
      if (inside.has(next) && !from.has(next)) {
        from.set(next, node)
        queue.push(next)
      }
    }
  }
  return [...group]
}

function traced(from: ReadonlyMap<string, string>, end: string): string[] {
  const way = [end]
  for (let at = from.get(end); at !== undefined; at = from.get(at)) way.unshift(at)
  return way
}
