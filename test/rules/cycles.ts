/** Which modules each module imports, by path. */
export type Graph = ReadonlyMap<string, readonly string[]>

/** One shortest way from a module back to itself; undefined if there is none. */
function wayBack(start: string, graph: Graph): string[] | undefined {
  const cameFrom = new Map<string, string>()
  const queue = [start]
  for (const at of queue) {
    for (const next of graph.get(at) ?? []) {
      if (next === start) return [...trail(at, start, cameFrom), start]
      if (cameFrom.has(next)) continue
      cameFrom.set(next, at)
      queue.push(next)
    }
  }
  return undefined
}

function trail(end: string, start: string, cameFrom: ReadonlyMap<string, string>): string[] {
  const way = [end]
  for (let at = end; at !== start; way.unshift(at)) at = cameFrom.get(at) ?? start
  return way
}

function reachable(start: string, graph: Graph): Set<string> {
  const seen = new Set(graph.get(start) ?? [])
  for (const at of seen) for (const next of graph.get(at) ?? []) seen.add(next)
  return seen
}

/** One shortest cycle for each group of modules that all reach each other. */
export function cyclesIn(graph: Graph): string[][] {
  const reach = new Map([...graph.keys()].map(module => [module, reachable(module, graph)]))
  const reported = new Set<string>()
  const cycles: string[][] = []
  for (const [module, reached] of reach) {
    if (reported.has(module) || !reached.has(module)) continue
    for (const other of reached) if (reach.get(other)?.has(module)) reported.add(other)
    const cycle = wayBack(module, graph)
    if (cycle) cycles.push(cycle)
  }
  return cycles
}
