import type { Searchable, Segment } from './segment.ts'
import { synonyms } from './synonyms.ts'
import { tokens } from './tokens.ts'

/** A tool that was found, and how well it fits. */
export interface Match {
  readonly tool: Searchable
  readonly source: string
  readonly score: number
  /** How much of the query it says, of one. */
  readonly fit: number
}

// How soon more of the same word counts no more, and how much long descriptions are held back.
const SATURATION = 2
const LENGTH = 0.2
// A word that only begins like the one asked for.
const PREFIX = 0.3
// A word that means the same.
const SYNONYM = 0.4
// How much of a score depends on how many of the words were found, in whatever form.
const COVERAGE = 0.6
const MOST_PREFIXES = 8
// What says less of a query than this does not fit.
const LEAST_FIT = 0.3
// Shares of the best score, below which a tool is left out: of the same source, and of another.
const NEAR = 0.15
const NEAR_ELSEWHERE = 0.25
const LONGEST_QUERY = 4000
// One bit each.
const MOST_WORDS = 32

/** The tools of one source, ready to be searched. */
export interface NamedSegment {
  readonly source: string
  readonly segment: Segment
}

interface Corpus {
  readonly segments: readonly NamedSegment[]
  readonly count: number
  readonly averageLength: number
  /** How much words count, as far as they were asked for. */
  readonly rarities: Map<string, number>
}

/** The tools that fit a query best (BM25), best first; none if too little of what it says is known. */
export function rank(segments: readonly NamedSegment[], query: string, limit: number): Match[] {
  const corpus = corpusOf(segments)
  const { words, weights } = wordsOf(query, corpus)
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  const best: Match[] = []
  let least = 0
  for (const { source, segment } of segments) {
    const { scores, found } = scoresOf(segment, words, corpus.averageLength)
    for (let at = 0; at < segment.tools.length; at++) {
      const most = scores[at] ?? 0
      // Most are nothing, or no better than what is kept already.
      if (most <= least) continue
      const score = most * (1 - COVERAGE + (COVERAGE * bits(found[at] ?? 0)) / words.length)
      if (score <= least) continue
      const fit = said(found[at] ?? 0, weights) / Math.max(1, total)
      keep(best, { tool: segment.tools[at] as Searchable, source, score, fit }, limit)
      least = best[limit - 1]?.score ?? 0
    }
  }
  return relevant(best)
}

/** Without what hardly fits: nothing if even the best leaves most of the query unsaid, and less of other sources. */
function relevant(best: readonly Match[]): Match[] {
  const [first] = best
  if (!first || Math.max(...best.slice(0, 3).map(({ fit }) => fit)) < LEAST_FIT) return []
  return best.filter(({ score, source }) => score >= first.score * (source === first.source ? NEAR : NEAR_ELSEWHERE))
}

/** How much of a query was found. */
function said(mask: number, weights: readonly number[]): number {
  let sum = 0
  for (const [which, weight] of weights.entries()) if ((mask >>> which) & 1) sum += weight
  return sum
}

// The same segments are searched again and again, until a source changes.
const corpora = new WeakMap<readonly NamedSegment[], Corpus>()
const MOST_RARITIES = 10_000

function corpusOf(segments: readonly NamedSegment[]): Corpus {
  const known = corpora.get(segments)
  if (known) return known
  let total = 0
  let count = 0
  for (const { segment } of segments) {
    count += segment.tools.length
    total += segment.totalLength
  }
  const averageLength = Math.max(1, total / Math.max(1, count))
  const corpus = { segments, count, averageLength, rarities: new Map<string, number>() }
  corpora.set(segments, corpus)
  return corpus
}

/** A word of the query and what means the same or begins like it, each with how much it counts. */
type Alternatives = ReadonlyMap<string, number>

interface Words {
  readonly words: readonly Alternatives[]
  /** How much each says: names of what is worked on say nothing. */
  readonly weights: readonly number[]
}

// What a tool is asked to work on is no word for what it does.
const QUOTED = /"[^"]{1,200}"|`[^`]{1,200}`|(?<=^|\s)'[^']{1,200}'(?=$|\W)/g
const FILE =
  /(?<![\w/.])[\w./-]{1,200}\.(?:[cm]?[jt]sx?|py|go|rs|java|cs|c|h|cc|cpp|hpp|rb|php|md|json|ya?ml|toml|txt|html|css|sh)\b/g
const NAME = /(?<=\s)\p{Lu}[\p{L}\d]*/gu

function wordsOf(query: string, corpus: Corpus): Words {
  const short = query.slice(0, LONGEST_QUERY)
  const plain = short.replace(QUOTED, ' text ').replace(FILE, ' file ')
  const all = [...new Set(tokens(plain))].slice(0, MOST_WORDS)
  const names = new Set(tokens((plain.match(NAME) ?? []).join(' ')))
  const words = alternatives(all, corpus)
  const weights = all.map((word, i) => (names.has(word) && words[i]?.size === 0 ? 0 : 1))
  return { words, weights }
}

function alternatives(words: readonly string[], corpus: Corpus): readonly Alternatives[] {
  return words.map(word => {
    const found = new Map<string, number>()
    const weigh = (other: string, share: number): void => {
      const weight = share * rarity(other, corpus)
      if (weight > (found.get(other) ?? 0)) found.set(other, weight)
    }
    weigh(word, 1)
    for (const other of synonyms(word)) weigh(other, SYNONYM)
    for (const longer of startingWith(word, corpus)) weigh(longer, PREFIX)
    return found
  })
}

function startingWith(word: string, { segments }: Corpus): Set<string> {
  const found = new Set<string>()
  if (word.length < 3) return found
  for (const { segment } of segments) {
    for (const longer of segment.startingWith(word, MOST_PREFIXES)) found.add(longer)
    if (found.size >= MOST_PREFIXES) break
  }
  return found
}

function rarity(word: string, { segments, count, rarities }: Corpus): number {
  const known = rarities.get(word)
  if (known !== undefined) return known
  let documents = 0
  for (const { segment } of segments) documents += segment.posting(word)?.documents.length ?? 0
  const found = documents === 0 ? 0 : Math.log(1 + (count - documents + 0.5) / (documents + 0.5))
  if (rarities.size >= MOST_RARITIES) rarities.clear()
  rarities.set(word, found)
  return found
}

interface Scores {
  readonly scores: Float64Array
  /** One bit for each word of the query that was found. */
  readonly found: Int32Array
}

// Used again by every search: to allocate them for each source would keep the collector busy.
let scratch: Scores = { scores: new Float64Array(0), found: new Int32Array(0) }

function cleared(size: number): Scores {
  if (scratch.scores.length < size) scratch = { scores: new Float64Array(size), found: new Int32Array(size) }
  scratch.scores.fill(0, 0, size)
  scratch.found.fill(0, 0, size)
  return scratch
}

function scoresOf(segment: Segment, words: readonly Alternatives[], averageLength: number): Scores {
  const { lengths } = segment
  const { scores, found } = cleared(lengths.length)
  for (const [which, alternatives] of words.entries()) {
    for (const [word, rarity] of alternatives) {
      const posting = segment.posting(word)
      if (!posting) continue
      const { documents, weights } = posting
      for (let i = 0; i < documents.length; i++) {
        const at = documents[i] ?? 0
        const weight = weights[i] ?? 0
        const long = 1 - LENGTH + (LENGTH * (lengths[at] ?? 0)) / averageLength
        scores[at] = (scores[at] ?? 0) + (rarity * weight * (SATURATION + 1)) / (weight + SATURATION * long)
        found[at] = (found[at] ?? 0) | (1 << which)
      }
    }
  }
  return scratch
}

/** How many bits are set. */
function bits(mask: number): number {
  let count = 0
  for (let rest = mask; rest !== 0; rest &= rest - 1) count += 1
  return count
}

/** Keep the list sorted and no longer than the limit. */
function keep(best: Match[], match: Match, limit: number): void {
  const last = best[limit - 1]
  if (last && last.score >= match.score) return
  let at = Math.min(best.length, limit - 1)
  while (at > 0 && (best[at - 1]?.score ?? 0) < match.score) at -= 1
  best.splice(at, 0, match)
  best.length = Math.min(best.length, limit)
}
