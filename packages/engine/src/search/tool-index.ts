import type { Searchable } from './segment.ts'
import { Segment } from './segment.ts'
import { synonyms } from './synonyms.ts'
import { tokens } from './tokens.ts'

/** A tool that was found, and how well it fits. */
export interface Match {
  readonly tool: Searchable
  readonly source: string
  readonly score: number
}

// How soon more of the same word counts no more, and how much long descriptions are held back.
const SATURATION = 1.2
const LENGTH = 0.4
// A word that only begins like the one asked for.
const PREFIX = 0.4
// A word that means the same.
const SYNONYM = 0.5
const MOST_PREFIXES = 8
const MOST_WORDS = 32

/** Ranks tools for a query (BM25), one segment per source, so that a source that changes costs only its own. */
export class ToolIndex {
  readonly #segments = new Map<string, Segment>()
  #count = 0
  #averageLength = 1

  /** How many tools are indexed. */
  get size(): number {
    return this.#count
  }

  /** Put a source's tools in the place of what was there. */
  set(source: string, tools: readonly Searchable[]): void {
    this.#segments.set(source, new Segment(tools))
    this.#measure()
  }

  /** Forget a source. */
  delete(source: string): void {
    if (this.#segments.delete(source)) this.#measure()
  }

  /** The tools that fit best, best first; none if no word of the query is known. */
  search(query: string, limit: number): Match[] {
    const words = this.#weighed(query)
    const best: Match[] = []
    for (const [source, segment] of this.#segments) {
      const scores = this.#scores(segment, words)
      for (let at = 0; at < scores.length; at++) {
        const score = scores[at] ?? 0
        if (score > 0) keep(best, { tool: segment.tools[at] as Searchable, source, score }, limit)
      }
    }
    return best
  }

  #measure(): void {
    let total = 0
    this.#count = 0
    for (const { lengths } of this.#segments.values()) {
      this.#count += lengths.length
      for (const length of lengths) total += length
    }
    this.#averageLength = Math.max(1, total / Math.max(1, this.#count))
  }

  /** Each word of the query, with what means the same or begins like it, and how much it counts. */
  #weighed(query: string): Map<string, number> {
    const weighed = new Map<string, number>()
    const weigh = (word: string, share: number): void => {
      const weight = share * this.#rarity(word)
      if (weight > (weighed.get(word) ?? 0)) weighed.set(word, weight)
    }
    for (const word of [...new Set(tokens(query))].slice(0, MOST_WORDS)) {
      weigh(word, 1)
      for (const other of synonyms(word)) weigh(other, SYNONYM)
      for (const longer of this.#startingWith(word)) weigh(longer, PREFIX)
    }
    return weighed
  }

  #startingWith(word: string): Set<string> {
    const found = new Set<string>()
    if (word.length < 3) return found
    for (const segment of this.#segments.values()) {
      for (const longer of segment.startingWith(word, MOST_PREFIXES)) found.add(longer)
      if (found.size >= MOST_PREFIXES) break
    }
    return found
  }

  #rarity(word: string): number {
    let documents = 0
    for (const segment of this.#segments.values()) documents += segment.posting(word)?.documents.length ?? 0
    return documents === 0 ? 0 : Math.log(1 + (this.#count - documents + 0.5) / (documents + 0.5))
  }

  #scores(segment: Segment, words: ReadonlyMap<string, number>): Float64Array {
    const scores = new Float64Array(segment.lengths.length)
    for (const [word, rarity] of words) {
      const posting = segment.posting(word)
      if (!posting) continue
      const { documents, weights } = posting
      for (let i = 0; i < documents.length; i++) {
        const at = documents[i] ?? 0
        const weight = weights[i] ?? 0
        const long = 1 - LENGTH + (LENGTH * (segment.lengths[at] ?? 0)) / this.#averageLength
        scores[at] = (scores[at] ?? 0) + (rarity * weight * (SATURATION + 1)) / (weight + SATURATION * long)
      }
    }
    return scores
  }
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
