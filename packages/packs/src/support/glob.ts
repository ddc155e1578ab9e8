type Token = { readonly any: true } | { readonly any: false; test(character: string): boolean }
type Segment = '**' | readonly Token[]

const ANY: Token = { any: true }
const ONE: Token = { any: false, test: () => true }

/**
 * A test for paths with `*`, `?`, `[a-z]` and `**`. A pattern without a slash matches a name at any depth. Patterns come
 * from outside, so this takes time in proportion to both lengths, which an expression made of one would not.
 */
export function glob(pattern: string): (path: string) => boolean {
  const anchored = pattern.replace(/^\//, '').split('/')
  const spelled = pattern.includes('/') ? anchored : ['**', ...anchored]
  // At the end it means everything below: one part at least.
  const parts = spelled.at(-1) === '**' ? [...spelled, '*'] : spelled
  const segments = parts.map((part): Segment => (part === '**' ? part : tokens(part)))
  const fitsPart = (segment: Segment, part: string): boolean =>
    segment !== '**' && matches(segment, Array.from(part), fits, isAny)
  return path => matches(segments, path.split('/'), fitsPart)
}

const fits = (token: Token, character: string): boolean => !token.any && token.test(character)
const isAny = (token: Token): boolean => token.any

/** Wildcards that swallow any number of items; going back to the last one is enough, so nothing is tried twice over. */
function matches<P, T>(
  pattern: readonly P[],
  items: readonly T[],
  one: (p: P, item: T) => boolean,
  isWild: (p: P) => boolean = p => p === '**',
): boolean {
  let [p, i, wild, from] = [0, 0, -1, 0]
  while (i < items.length) {
    const at = pattern[p]
    if (p < pattern.length && isWild(at as P)) {
      wild = p++
      from = i
    } else if (p < pattern.length && one(at as P, items[i] as T)) {
      p++
      i++
    } else if (wild >= 0) {
      p = wild + 1
      i = ++from
    } else return false
  }
  return pattern.slice(p).every(isWild)
}

function tokens(segment: string): Token[] {
  const out: Token[] = []
  const characters = Array.from(segment)
  for (let i = 0; i < characters.length; i++) {
    const c = characters[i] ?? ''
    if (c === '*') {
      if (out.at(-1) !== ANY) out.push(ANY)
    } else if (c === '?') out.push(ONE)
    else if (c === '[' && closing(characters, i) > 0) {
      const end = closing(characters, i)
      out.push({ any: false, test: classTest(characters.slice(i + 1, end)) })
      i = end
    } else {
      const literal = c === '\\' && i + 1 < characters.length ? (characters[++i] ?? '') : c
      out.push({ any: false, test: other => other === literal })
    }
  }
  return out
}

/** Where a class ends; a bracket right at its beginning is one of its characters. */
function closing(characters: readonly string[], start: number): number {
  let at = start + 1
  if (characters[at] === '!' || characters[at] === '^') at++
  return characters.indexOf(']', at + 1)
}

function classTest(inner: readonly string[]): (character: string) => boolean {
  const isNegative = inner[0] === '!' || inner[0] === '^'
  const set = (isNegative ? inner.slice(1) : inner).filter((c, i, all) => c !== '\\' || all[i - 1] === '\\')
  const isIn = (character: string): boolean =>
    set.some((c, i) => {
      if (set[i - 1] === '-' && i > 1) return false
      const to = set[i + 1] === '-' && i + 2 < set.length ? set[i + 2] : c
      return character >= c && character <= (to ?? c)
    })
  return character => isIn(character) !== isNegative
}
