import type { Branch, Conditional, Item } from './conditionals.ts'
import type { Token } from './tokens.ts'

/** What to leave out of a source so that the rest can be parsed. */
export interface Choice {
  readonly blanked: readonly Token[]
  /** What is left, in order. */
  readonly kept: readonly Token[]
}

interface State {
  readonly source: string
  /** What was taken for true, where it had to be decided. */
  readonly facts: Map<string, boolean>
  readonly blanked: Token[]
  readonly kept: Token[]
}

/** Both sides of a conditional stay wherever the parser can read them one after the other; else the first that may hold. */
export function chooseBranches(items: readonly Item[], source: string): Choice {
  const state: State = { source, facts: new Map(), blanked: [], kept: [] }
  keep(items, state)
  return state
}

function keep(items: readonly Item[], state: State): void {
  for (const item of items) {
    if ('branches' in item) keepConditional(item, state)
    else (item.kind === 'directive' ? state.blanked : state.kept).push(item)
  }
}

function keepConditional(conditional: Conditional, state: State): void {
  const { branches, end } = conditional
  const live = branches.filter((_, i) => isLive(branches, i))
  const isReadable = live.every(branch => isWhole(branch, state.source)) || isLone(live, state)
  const chosen = isReadable ? live : [decide(live, state)]
  for (const branch of branches) {
    state.blanked.push(branch.directive)
    if (chosen.includes(branch)) keep(branch.items, state)
    else drop(branch.items, state)
  }
  if (end) state.blanked.push(end)
}

function drop(items: readonly Item[], state: State): void {
  for (const item of items) {
    if (!('branches' in item)) state.blanked.push(item)
    else {
      for (const { directive, items: inner } of item.branches) {
        state.blanked.push(directive)
        drop(inner, state)
      }
      if (item.end) state.blanked.push(item.end)
    }
  }
}

/** Nothing under `#if 0` is code, nor what comes after `#if 1`. */
function isLive(branches: readonly Branch[], at: number): boolean {
  const isAfterTrue = branches.slice(0, at).some(({ condition }) => /^(?:1|true)$/.test(condition))
  return !isAfterTrue && !/^(?:0|false)$/.test(branches[at]?.condition ?? '')
}

/** A lone branch stays, unless the opposite was decided before and it would leave a bracket open. */
function isLone(live: readonly Branch[], { source, facts }: State): boolean {
  const [only, ...others] = live
  if (!only || others.length > 0) return false
  if (balance(only.items, source).braces === 0) return true
  const known = facts.get(positive(only.condition))
  if (known === undefined) facts.set(positive(only.condition), !isNegated(only.condition))
  return known === undefined || known !== isNegated(only.condition)
}

/** The longest branch that what was decided before allows: the others are mostly stand-ins. */
function decide(live: readonly Branch[], { facts }: State): Branch | undefined {
  const allowed = live.filter(({ condition }) => {
    const known = facts.get(positive(condition))
    return condition === '' || known === undefined || known !== isNegated(condition)
  })
  const [longest] = allowed.toSorted((a, b) => b.items.length - a.items.length)
  for (const { condition } of live) {
    if (condition !== '' && !facts.has(positive(condition)))
      facts.set(positive(condition), (condition === longest?.condition) !== isNegated(condition))
    if (condition === longest?.condition) break
  }
  return longest
}

const isNegated = (condition: string): boolean => condition.startsWith('!')
const positive = (condition: string): string => condition.replace(/^!\s*/, '')

/** Can it stand before or after its alternatives? It closes what it opens, and ends where a statement or an entry does. */
function isWhole({ items }: Branch, source: string): boolean {
  const { braces, parens, last } = balance(items, source)
  return braces === 0 && parens === 0 && (last === '' || /[;{}:,]/.test(last))
}

interface Balance {
  braces: number
  parens: number
  last: string
}

const BRACES: Readonly<Record<string, number>> = { '{': 1, '}': -1 }
const PARENS: Readonly<Record<string, number>> = { '(': 1, ')': -1 }
const known = new WeakMap<readonly Item[], Balance>()

/** What a branch leaves open, its inner conditionals taken by their first branch. */
function balance(items: readonly Item[], source: string): Balance {
  const total: Balance = known.get(items) ?? { braces: 0, parens: 0, last: '' }
  if (known.has(items)) return total
  known.set(items, total)
  for (const item of items) {
    if ('branches' in item) {
      const inner = balance(item.branches[0]?.items ?? [], source)
      total.braces += inner.braces
      total.parens += inner.parens
      if (inner.last !== '') total.last = inner.last
    } else if (item.kind !== 'directive') {
      total.last = source.slice(item.start, item.end)
      total.braces += BRACES[total.last] ?? 0
      total.parens += PARENS[total.last] ?? 0
    }
  }
  return total
}
