import type { Pattern } from './pattern.ts'
import { wordsOf } from './words.ts'

/** How much a text and a pattern have in common, by the pattern's id: 1 if it is most alike and has all the words. */
export type Similarity = ReadonlyMap<string, number>

/** Words that say nothing about what is being built. */
const COMMON = new Set(
  wordsOf(
    'a an and are as at be by can do each every for from has have if in into is it its may more must no not of on one ' +
      'only or other our out own so such than that the their them then they this to up use what when where which who with ' +
      'you add app application build code create function get implement make new page project set simple write',
  ),
)
// Fewer words than these say too little for one of them to mean much.
const FEW_WORDS = 3

/** Reads the patterns once; the function then compares texts with them. */
export async function compare(patterns: readonly Pattern[]): Promise<(text: string) => Similarity> {
  const { default: MiniSearch } = await import('minisearch')
  const index = new MiniSearch({
    fields: ['name', 'triggers', 'summary', 'description'],
    tokenize: wordsOf,
    processTerm: word => (COMMON.has(word) ? null : word),
    searchOptions: { boost: { name: 3, triggers: 3, summary: 2 } },
  })
  index.addAll(patterns.map(documentOf))
  return text => {
    const said = new Set(wordsOf(text).filter(word => !COMMON.has(word))).size
    const found = index.search(text)
    const most = found[0]?.score ?? 1
    const share = (words: readonly string[]): number => new Set(words).size / Math.max(said, FEW_WORDS)
    return new Map(found.map(({ id, score, queryTerms }) => [String(id), (score / most) * share(queryTerms)]))
  }
}

function documentOf({ id, name, triggers, agent_summary: { threat, check, fix }, description }: Pattern): object {
  const words = [...triggers.keywords, ...(triggers.actions ?? [])].join('. ')
  return { id, name, triggers: words, summary: `${threat} ${check} ${fix}`, description }
}
