/** A variable of a template, as it may stand in a URI. */
export interface Slot {
  /** What stands before it, one of these. */
  readonly before: readonly string[]
  /** Its name, where that stands before the value; then the value may be missing. */
  readonly label: string | undefined
  readonly isOptional: boolean
  /** How many characters the value has at least. */
  readonly least: number
  /** Characters that no value has. */
  readonly never: RegExp
  /** What stands between several values, where there may be several. */
  readonly again: string
}

/** A text that stands in the URI as it is, or a variable. */
export type Part = string | Slot

interface Matching {
  readonly parts: readonly Part[]
  readonly uri: string
  readonly values: (string | undefined)[]
  /** Where the rest of the parts was tried in vain. */
  readonly failed: Set<number>
  left: number
}

// Beyond what any usual URI needs: servers and clients choose both sides, and an ambiguous template takes the more the longer the URI.
const MOST_STEPS = 2_000
const STEPS_PER_CHARACTER = 2

/** The values of the variables, in their order; undefined if the URI does not follow the template, or it takes too long to tell. */
export function matchTemplate(parts: readonly Part[], uri: string): readonly (string | undefined)[] | undefined {
  const left = MOST_STEPS + STEPS_PER_CHARACTER * uri.length
  const last = parts.at(-1)
  // Nearly all that do not fit are told by their ends.
  if (typeof last === 'string' && !uri.endsWith(last)) return undefined
  const matching: Matching = { parts, uri, values: [], failed: new Set(), left }
  if (!matchFrom(matching, 0, 0)) return undefined
  return parts.flatMap((part, i) => (typeof part === 'string' ? [] : [matching.values[i]]))
}

/** Do the parts from `i` on fit the rest of the URI? The longest values are tried first. */
function matchFrom(matching: Matching, i: number, at: number): boolean {
  const { parts, uri, values, failed } = matching
  const part = parts[i]
  if (part === undefined) return at === uri.length
  const state = at * (parts.length + 1) + i
  if (failed.has(state) || (matching.left -= 1) < 0) return false
  if (typeof part === 'string') {
    if (uri.startsWith(part, at) && matchFrom(matching, i + 1, at + part.length)) return true
  } else {
    for (const [end, value] of ways(part, matching, at)) {
      values[i] = value
      if (matchFrom(matching, i + 1, end)) return true
      if (matching.left < 0) return false
    }
  }
  failed.add(state)
  return false
}

type Way = readonly [end: number, value: string | undefined]

/** Where a variable that begins here may end, and what its value is then. */
function* ways({ before, label, isOptional, ...slot }: Slot, matching: Matching, at: number): Generator<Way> {
  const { uri } = matching
  for (const sign of before) {
    if (!uri.startsWith(sign + (label ?? ''), at)) continue
    const next = at + sign.length + (label?.length ?? 0)
    const from = label === undefined ? next : uri[next] === '=' ? next + 1 : undefined
    if (from !== undefined) for (const end of endsOf(slot, matching, from)) yield [end, uri.slice(from, end)]
    if (label !== undefined) yield [next, undefined]
  }
  if (isOptional) yield [at, undefined]
}

type Value = Pick<Slot, 'least' | 'never' | 'again'>

/** Where a value that begins here may end, the longest first. */
function* endsOf({ least, never, again }: Value, matching: Matching, from: number): Generator<number> {
  const { uri } = matching
  if (again !== '') {
    yield* endsOfList({ least, never, again }, matching, from)
    return
  }
  let end = from
  while (end < uri.length && !never.test(uri.charAt(end))) end += 1
  matching.left -= end - from
  for (; end - from >= least; end--) yield end
}

/** The same where there may be several values: what separates them may also be part of one. */
function endsOfList({ least, never, again }: Value, matching: Matching, from: number): readonly number[] {
  const { uri } = matching
  const ends = new Set([from])
  for (const end of ends) {
    if ((matching.left -= 1) < 0) return []
    if (end < uri.length && !never.test(uri.charAt(end))) ends.add(end + 1)
    if (uri.startsWith(again, end)) ends.add(end + again.length)
  }
  return [...ends].filter(end => end - from >= least).sort((a, b) => b - a)
}
