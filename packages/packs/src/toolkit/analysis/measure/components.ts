/** Which nodes lead to which. */
export type Edges<T> = ReadonlyMap<T, ReadonlySet<T>>

/** The same, the other way round. */
export function reversed<T>(edges: Edges<T>): Edges<T> {
  const back = new Map<T, Set<T>>([...edges.keys()].map(node => [node, new Set()]))
  for (const [from, to] of edges) {
    for (const node of to) back.set(node, (back.get(node) ?? new Set()).add(from))
  }
  return back
}

/** Groups of nodes from which a way leads back: that all reach each other, or one that leads to itself. */
export function cyclicGroups<T>(edges: Edges<T>): T[][] {
  const back = reversed(edges)
  const seen = new Set<T>()
  return finished([...edges.keys()], edges, new Set())
    .toReversed()
    .flatMap(start => {
      const group = seen.has(start) ? [] : finished([start], back, seen)
      const isCycle = group.length > 1 || (group.length === 1 && edges.get(start)?.has(start) === true)
      return isCycle ? [group] : []
    })
}

/** Every node reached from the starts, in the order in which their searches end. */
function finished<T>(starts: readonly T[], edges: Edges<T>, seen: Set<T>): T[] {
  const order: T[] = []
  const after = (node: T): Iterator<T> => (edges.get(node) ?? new Set<T>()).values()
  for (const start of starts) {
    if (seen.has(start)) continue
    seen.add(start)
    const path = [{ node: start, rest: after(start) }]
    for (let top = path.at(-1); top; top = path.at(-1)) {
      const { done, value } = top.rest.next()
      if (done === true) order.push((path.pop() ?? top).node)
      else if (!seen.has(value)) {
        seen.add(value)
        path.push({ node: value, rest: after(value) })
      }
    }
  }
  return order
}
