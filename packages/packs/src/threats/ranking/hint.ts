import type { Pattern } from '../knowledge/pattern.ts'
import type { Relevance } from './relevance.ts'

const MOST_EXAMPLES = 9

/** What would have matched, where nothing did: words of the nearest patterns that match by themselves, or of all. */
export function hintFor(
  patterns: readonly Pattern[],
  { nearest }: Relevance,
  weigh: (text: string) => Relevance,
): object {
  const near = nearest.flatMap(id => patterns.filter(pattern => pattern.id === id))
  const from = near.length > 0 ? near : everyFew(patterns)
  const each = Math.ceil(MOST_EXAMPLES / from.length)
  const examples = from.flatMap(({ triggers }) => matching(triggers.keywords, each, weigh)).map(word => `'${word}'`)
  return {
    hint:
      `No pattern matches. Say who calls the code and what it reads or changes, in words such as ${examples.join(', ')}. ` +
      'tmkb_list shows every pattern.',
    ...(near.length > 0 && { nearest: near.map(({ id, name }) => ({ id, name })) }),
  }
}

const everyFew = (patterns: readonly Pattern[]): Pattern[] =>
  patterns.filter((_, at) => at % Math.ceil(patterns.length / MOST_EXAMPLES) === 0)

/** The first words that match by themselves; most do, so few are weighed. */
function matching(words: readonly string[], most: number, weigh: (text: string) => Relevance): string[] {
  const found: string[] = []
  for (const word of words) {
    if (found.length === most) break
    if (weigh(word).relevant.size > 0) found.push(word)
  }
  return found
}
