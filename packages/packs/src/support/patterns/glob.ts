type Token = { readonly any: true } | { readonly any: false; test(character: string): boolean }
type Segment = '**' | readonly Token[]

const ANY: Token = { any: true }
const ONE: Token = { any: false, test: () => true }
const SPECIAL = /[*?[\\]/
const MOST_ALTERNATIVES = 64

/** A pattern as it can be looked up: by the name, by the whole path, by the ending of the name, or only by trying. */
export type Shape =
  | { readonly kind: 'name' | 'path' | 'ending'; readonly text: string }
  | { readonly kind: 'general'; test(path: string): boolean }

/**
 * A test for paths with `*`, `?`, `[a-z]` and `**`. A pattern without a slash matches a name at any depth. Patterns come
 * from outside, so this takes time in proportion to both lengths, which an expression made of one would not.
 */
export function glob(pattern: string): (path: string) => boolean {
  const shape = shapeOf(pattern)
  if (shape.kind === 'general') return path => shape.test(path)
  const { kind, text } = shape
  if (kind === 'path') return path => path === text
  if (kind === 'ending') return path => path.endsWith(text) && nameOf(path).length >= text.length
  return path => path === text || (path.endsWith(text) && path.charCodeAt(path.length - text.length - 1) === SLASH)
}

const SLASH = 47
const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

/** Most patterns are names, paths or endings, which need no matching; the shape says which. */
export function shapeOf(pattern: string): Shape {
  const bare = pattern.replace(/^\//, '')
  const isName = !pattern.includes('/')
  if (!SPECIAL.test(bare)) return { kind: isName ? 'name' : 'path', text: bare }
  if (isName && bare.startsWith('*') && !SPECIAL.test(bare.slice(1)) && bare.length > 1)
    return { kind: 'ending', text: bare.slice(1) }
  return { kind: 'general', test: general(bare.split('/'), isName) }
}

function general(anchored: readonly string[], isName: boolean): (path: string) => boolean {
  const spelled = isName ? ['**', ...anchored] : anchored
  // At the end it means everything below: one part at least.
  const parts = spelled.at(-1) === '**' ? [...spelled, '*'] : spelled
  const segments = parts.map((part): Segment => (part === '**' ? part : tokens(part)))
  const fitsPart = (segment: Segment, part: string): boolean =>
    segment !== '**' && matches(segment, lettersOf(part), fits, isAny)
  const [last] = segments.slice(-1)
  if (isName && last !== undefined && segments.length === 2) return path => fitsPart(last, nameOf(path))
  if (parts.includes('**')) return path => matches(segments, path.split('/'), fitsPart)
  // Without `**` a path needs as many parts as the pattern; most have not.
  return path => slashesIn(path) === segments.length - 1 && matches(segments, path.split('/'), fitsPart)
}

function slashesIn(path: string): number {
  let count = 0
  for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) count++
  return count
}

/** The patterns that one with braces stands for: `a.{b,c}` is `a.b` and `a.c`. */
export function expandBraces(pattern: string): string[] {
  const done: string[] = []
  for (const open = [pattern]; open.length > 0;) {
    if (done.length + open.length > MOST_ALTERNATIVES)
      throw new Error(`The braces of a pattern stand for more than ${MOST_ALTERNATIVES} patterns`)
    const next = open.shift() ?? ''
    const [whole, inner] = /\{([^{}]*,[^{}]*)\}/.exec(next) ?? []
    if (whole === undefined || inner === undefined) done.push(next)
    else open.unshift(...inner.split(',').map(part => next.replace(whole, () => part)))
  }
  return done
}

const literal = (letter: string): Token => ({ any: false, test: other => other === letter })

/** A test for several patterns with braces. One that begins with `./` means the top, as one with `/` does. */
export function anyGlob(patterns: readonly string[]): (path: string) => boolean {
  const tests = patterns
    .flatMap(expandBraces)
    .map(pattern => glob(pattern.replace(/^\.\//, '/').replace(/(?<=.)\/$/, '')))
  return path => tests.some(test => test(path))
}

/** The same, met also by what is below a directory that meets it. */
export function anyGlobAbove(patterns: readonly string[]): (path: string) => boolean {
  const test = anyGlob(patterns)
  return path => {
    for (let end = path.indexOf('/'); end >= 0; end = path.indexOf('/', end + 1)) {
      if (test(path.slice(0, end))) return true
    }
    return test(path)
  }
}

// A string is a list of its letters unless one of them takes two places.
const lettersOf = (part: string): ArrayLike<string> => (/[\ud800-\udfff]/.test(part) ? Array.from(part) : part)
const fits = (token: Token, character: string): boolean => !token.any && token.test(character)
const isAny = (token: Token): boolean => token.any

/** Wildcards that swallow any number of items; going back to the last one is enough, so nothing is tried twice over. */
function matches<P, T>(
  pattern: readonly P[],
  items: ArrayLike<T>,
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
  while (p < pattern.length && isWild(pattern[p] as P)) p++
  return p === pattern.length
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
      out.push(literal(c === '\\' && i + 1 < characters.length ? (characters[++i] ?? '') : c))
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
