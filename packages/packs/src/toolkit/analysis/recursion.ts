import type { Name } from './names.ts'
import type { Scope } from './scope.ts'

/** A function, by name. */
export interface Known {
  readonly scope: Scope
  readonly name: Name
}

const SELF = new Set(['this', '$this', 'self', 'Self', 'static', 'cls'])

/** What a language lets a bare name mean. */
export interface Naming {
  readonly overloads?: boolean
  readonly implicitThis?: boolean
}

/** The functions of a file that call themselves, directly or through each other. */
export function recursive(functions: readonly Known[], naming: Naming): Set<Scope> {
  const byName = new Map<string, Known[]>()
  for (const known of functions) {
    const same = byName.get(known.name.simple)
    if (same) same.push(known)
    else byName.set(known.name.simple, [known])
  }
  const byScope = new Map(functions.map(known => [known.scope, known]))
  const edges = new Map<Scope, Set<Scope>>(functions.map(({ scope }) => [scope, new Set()]))
  for (const { scope } of functions) {
    const home = homeOf(scope, byScope)
    for (const call of scope.calls) {
      const [qualifier = '', simple = ''] = call.split(' ')
      const meant = called(qualifier, byName.get(simple) ?? [], { home, naming })
      for (let caller: Scope | undefined = scope; caller; caller = caller.outer) {
        for (const { scope: to } of meant) edges.get(caller)?.add(to)
      }
    }
  }
  return onCycles(edges)
}

interface Where {
  readonly home: ReadonlySet<string>
  readonly naming: Naming
}

/** Which of the functions with the right name a call means. */
function called(qualifier: string, known: readonly Known[], { home, naming }: Where): readonly Known[] {
  const isOwn = SELF.has(qualifier) || home.has(qualifier)
  const isNeighbour = ({ name }: Known): boolean => name.container !== '' && home.has(name.container)
  const isFree = ({ name }: Known): boolean => name.container === '' && !name.isMember
  const isReached = (at: Known): boolean => isFree(at) || (naming.implicitThis === true && isNeighbour(at))
  const meant = isOwn ? known.filter(isNeighbour) : qualifier === '' ? known.filter(isReached) : []
  // Of several functions with one name we do not know which is called.
  return naming.overloads === true && meant.length > 1 ? [] : meant
}

/** The names by which code in a function reaches its own object or type. */
function homeOf(scope: Scope, byScope: ReadonlyMap<Scope, Known>): Set<string> {
  const home = new Set<string>()
  for (let at: Scope | undefined = scope; at; at = at.outer) {
    const { container = '', receiver = '' } = byScope.get(at)?.name ?? {}
    if (container !== '') home.add(container)
    if (receiver !== '') home.add(receiver)
  }
  return home
}

/** Nodes from which a way leads back: alone with an edge to itself, or in a group that all reach each other. */
function onCycles(edges: ReadonlyMap<Scope, ReadonlySet<Scope>>): Set<Scope> {
  const order = finished([...edges.keys()], edges)
  const back = new Map<Scope, Set<Scope>>([...edges.keys()].map(node => [node, new Set()]))
  for (const [from, to] of edges) for (const node of to) back.get(node)?.add(from)
  const seen = new Set<Scope>()
  const cycles = new Set<Scope>()
  for (const start of order.toReversed()) {
    const group = seen.has(start) ? [] : finished([start], back, seen)
    const isCycle = group.length > 1 || edges.get(start)?.has(start)
    if (isCycle) for (const node of group) cycles.add(node)
  }
  return cycles
}

/** Every node reached from the starts, in the order in which their searches end. */
function finished(
  starts: readonly Scope[],
  edges: ReadonlyMap<Scope, ReadonlySet<Scope>>,
  seen: Set<Scope> = new Set(),
): Scope[] {
  const order: Scope[] = []
  for (const start of starts) {
    if (seen.has(start)) continue
    seen.add(start)
    const path = [{ node: start, rest: (edges.get(start) ?? new Set<Scope>()).values() }]
    for (let top = path.at(-1); top; top = path.at(-1)) {
      const { done, value } = top.rest.next()
      if (done === true) order.push((path.pop() ?? top).node)
      else if (!seen.has(value)) {
        seen.add(value)
        path.push({ node: value, rest: (edges.get(value) ?? new Set<Scope>()).values() })
      }
    }
  }
  return order
}
