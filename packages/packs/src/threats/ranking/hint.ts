import type { Pattern } from '../knowledge/pattern.ts'

const MOST_EXAMPLES = 9

/** What is known of a query that matched nothing. */
export interface HintOptions {
  /** The ids of patterns that come near. */
  readonly nearest: readonly string[]
  /** Would this text match? */
  readonly matches: (text: string) => boolean
  /** Where else to look. */
  readonly more?: string
}

/** What would have matched, where nothing did: words of the nearest patterns that match by themselves, or of all. */
export function hintFor(patterns: readonly Pattern[], { nearest, matches, more }: HintOptions): object {
  const near = nearest.flatMap(id => patterns.filter(pattern => pattern.id === id))
  const from = near.length > 0 ? near : everyFew(patterns)
  const each = Math.ceil(MOST_EXAMPLES / from.length)
  const examples = from.flatMap(({ triggers }) => matching(triggers.keywords, each, matches)).map(word => `'${word}'`)
  return {
    hint:
      `No pattern matches. Say who calls the code and what it reads or changes, in words such as ${examples.join(', ')}.` +
      (more === undefined ? '' : ` ${more}`),
    ...(near.length > 0 && { nearest: near.map(({ id, name }) => ({ id, name })) }),
  }
}

const everyFew = (patterns: readonly Pattern[]): Pattern[] =>
  patterns.filter((_, at) => at % Math.ceil(patterns.length / MOST_EXAMPLES) === 0)

/** The first words that match by themselves; most do, so few are weighed. */
function matching(words: readonly string[], most: number, matches: (text: string) => boolean): string[] {
  const found: string[] = []
  for (const word of words) {
    if (found.length === most) break
    if (matches(word)) found.push(word)
  }
  return found
}
