import { isObject } from '../support/is-object.ts'
import { tokens } from './tokens.ts'

/** What is indexed of a tool: its definition, as a list shows it. */
export interface Searchable {
  readonly name: string
  readonly [member: string]: unknown
}

interface Posting {
  readonly documents: readonly number[]
  readonly weights: readonly number[]
}

const WEIGHTS = { name: 3, title: 2, description: 1, keywords: 1.1, argument: 0.6, argumentDescription: 0.3 } as const

/** The tools of one source, indexed; it never changes, so a source that changes gets a new one. */
export class Segment {
  readonly tools: readonly Searchable[]
  /** The weight of all words of each tool. */
  readonly lengths: Float32Array
  /** The weight of all words of all tools. */
  readonly totalLength: number
  readonly #postings: ReadonlyMap<string, Posting>
  #sorted: readonly string[] | undefined

  constructor(tools: readonly Searchable[]) {
    this.tools = tools
    this.lengths = new Float32Array(tools.length)
    const building = new Map<string, { documents: number[]; weights: number[] }>()
    for (const [at, tool] of tools.entries()) {
      const counted = wordsOf(tool)
      for (const [word, weight] of counted) {
        const posting = building.get(word) ?? { documents: [], weights: [] }
        building.set(word, posting)
        posting.documents.push(at)
        posting.weights.push(weight)
        this.lengths[at] = (this.lengths[at] ?? 0) + weight
      }
    }
    this.totalLength = this.lengths.reduce((sum, length) => sum + length, 0)
    this.#postings = building
  }

  /** Where a word stands, and how much it counts there. */
  posting(word: string): Posting | undefined {
    return this.#postings.get(word)
  }

  /** Words here that begin like this one, at most `limit`. */
  startingWith(prefix: string, limit: number): string[] {
    const sorted = (this.#sorted ??= [...this.#postings.keys()].sort())
    let low = 0
    for (let high = sorted.length; low < high;) {
      const middle = (low + high) >>> 1
      if ((sorted[middle] ?? '') < prefix) low = middle + 1
      else high = middle
    }
    const found: string[] = []
    for (let at = low; at < sorted.length && found.length < limit; at++) {
      const word = sorted[at] ?? ''
      if (!word.startsWith(prefix)) break
      if (word !== prefix) found.push(word)
    }
    return found
  }
}

function wordsOf(tool: Searchable): Map<string, number> {
  const counted = new Map<string, number>()
  const add = (text: unknown, weight: number): void => {
    if (typeof text !== 'string') return
    for (const word of tokens(text)) counted.set(word, (counted.get(word) ?? 0) + weight)
  }
  add(tool.name, WEIGHTS.name)
  add(tool.title, WEIGHTS.title)
  add(tool.description, WEIGHTS.description)
  add(tool.keywords, WEIGHTS.keywords)
  const properties =
    isObject(tool.inputSchema) && isObject(tool.inputSchema.properties) ? tool.inputSchema.properties : {}
  for (const name in properties) {
    add(name, WEIGHTS.argument)
    const property = properties[name]
    if (isObject(property)) add(property.description, WEIGHTS.argumentDescription)
  }
  return counted
}
