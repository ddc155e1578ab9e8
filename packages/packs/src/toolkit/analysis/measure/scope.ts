import { HalsteadCounter } from './halstead.ts'

/** One function while it is being measured. */
export interface Scope {
  readonly node: number
  /** The function it stands in, if any. */
  readonly outer: Scope | undefined
  /** How deep in the outer function it stands. */
  readonly depth: number
  cyclomatic: number
  /** Cognitive complexity of its own code, functions in it left out. */
  own: number
  /** How many increments of that grow with nesting. */
  structural: number
  nesting: number
  /** Something in it could not be parsed. */
  faulty: boolean
  /** What it calls: the qualifier, a space, the name. */
  readonly calls: Set<string>
  readonly halstead: HalsteadCounter
}

/** A function of which nothing is known yet. */
export const openScope = (node: number, outer: Scope | undefined, depth: number): Scope => ({
  node,
  outer,
  depth,
  cyclomatic: 1,
  own: 0,
  structural: 0,
  nesting: 0,
  faulty: false,
  calls: new Set(),
  halstead: new HalsteadCounter(),
})

/**
 * Cognitive complexity with the functions inside: each makes its structures one level deeper than where it stands.
 * `holds` says whether those inside count for a function itself, `deepens` by how much they are deeper.
 */
export function cognitiveTotals(
  scopes: readonly Scope[],
  { holds, deepens }: { holds: (scope: Scope) => boolean; deepens: (inner: Scope) => number },
): Map<Scope, number> {
  const totals = new Map(scopes.map(scope => [scope, scope.own]))
  const structural = new Map(scopes.map(scope => [scope, scope.structural]))
  // Inner functions come after their outer ones, so from the end each is complete before it is added.
  for (const scope of scopes.toReversed()) {
    const { outer } = scope
    if (!outer) continue
    const inner = structural.get(scope) ?? 0
    totals.set(outer, (totals.get(outer) ?? 0) + (totals.get(scope) ?? 0) + inner * (scope.depth + deepens(scope)))
    structural.set(outer, (structural.get(outer) ?? 0) + inner)
  }
  return new Map(scopes.map(scope => [scope, holds(scope) ? (totals.get(scope) ?? 0) : scope.own]))
}
