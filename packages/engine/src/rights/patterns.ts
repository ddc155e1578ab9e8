import { spellings } from '../auth/scope-rules.ts'
import { fitsPattern } from '../catalog/names.ts'
import type { RightsPatterns, ShelfKind } from './rules.ts'

/** The patterns of a rule, ready to be asked. */
export interface Matcher {
  /** Does something that is allowed fit? Every way to read a URI must fit. */
  covers(kind: ShelfKind, key: string): boolean
  /** Does something that is denied fit? One way to read a URI is enough. */
  touches(kind: ShelfKind, key: string): boolean
}

// Longer ones come from no server that means well, and comparing them takes time.
const LONGEST_TEMPLATE = 2000
// Stands for what fills a variable: no pattern has it, so that only `*` fits it.
const FILLED = '\uFFFF'

/** Compile the patterns of `allow` or `deny`. */
export function matcher(patterns: RightsPatterns = {}): Matcher {
  const { tools = [], prompts = [], resources = [] } = patterns
  const plain = { tools, prompts }
  const spelled = resources.map(spellings)
  const fits = (key: string, ways: readonly string[]): boolean => ways.some(pattern => fitsPattern(key, pattern))
  return {
    covers(kind, key) {
      if (kind === 'templates') return key.length <= LONGEST_TEMPLATE && resources.some(one => overlaps(key, one))
      if (kind !== 'resources') return fits(key, plain[kind])
      const keys = spellings(key)
      return spelled.some(ways => keys.every(one => fits(one, ways)))
    },
    touches(kind, key) {
      // A family is hidden where all of its members are denied.
      if (kind === 'templates') return fits(key.replaceAll(VARIABLE, FILLED), resources)
      if (kind !== 'resources') return fits(key, plain[kind])
      const ways = spelled.flat()
      return spellings(key).some(one => fits(one, ways))
    },
  }
}

const VARIABLE = /\{[^{}]*\}/g

/** Can a URI of the family fit the pattern? */
function overlaps(template: string, pattern: string): boolean {
  const one = template.replaceAll(VARIABLE, FILLED)
  // For each place in the pattern: can it be reached by what was read of the template?
  let reached = closed(new Set([0]), pattern)
  for (const letter of one) {
    const next = new Set<number>()
    for (const at of reached) {
      if (letter === FILLED) for (let to = at; to <= pattern.length; to++) next.add(to)
      else if (pattern[at] === '*') next.add(at)
      else if (pattern[at] === letter) next.add(at + 1)
    }
    reached = closed(next, pattern)
    if (reached.size === 0) return false
  }
  return reached.has(pattern.length)
}

/** A `*` may stand for nothing. */
function closed(places: Set<number>, pattern: string): Set<number> {
  for (const at of places) if (pattern[at] === '*') places.add(at + 1)
  return places
}
