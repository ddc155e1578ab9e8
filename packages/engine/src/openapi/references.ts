import { isObject } from '../support/is-object.ts'
import { DocumentProblem } from './document.ts'
import type { Json } from './document.ts'

const MOST_HOPS = 20

/** Follows references in one document; no other document is ever fetched. */
export class References {
  readonly #document: Json

  constructor(document: Json) {
    this.#document = document
  }

  /** The object that is meant: itself, or what its `$ref` leads to. */
  resolve(value: unknown): Json {
    let found = value
    for (let hops = 0; isObject(found) && typeof found.$ref === 'string'; hops++) {
      if (hops === MOST_HOPS) throw new DocumentProblem(`The reference ${shown(found.$ref)} leads to itself`)
      found = this.#at(found.$ref)
    }
    if (!isObject(found)) throw new DocumentProblem('A part of the document is not an object')
    return found
  }

  #at(reference: string): unknown {
    if (!reference.startsWith('#'))
      throw new DocumentProblem(
        `The reference ${shown(reference)} leads to another document, and none is fetched: bundle them into one file`,
      )
    if (!reference.startsWith('#/')) throw lost(reference)
    let value: unknown = this.#document
    for (const part of reference.slice(2).split('/')) {
      const key = keyOf(part)
      if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) throw lost(reference)
      value = (value as Json)[key]
    }
    return value
  }
}

function keyOf(part: string): string {
  const plain = part.replaceAll('~1', '/').replaceAll('~0', '~')
  try {
    return decodeURIComponent(plain)
  } catch {
    return plain
  }
}

const shown = (reference: string): string => JSON.stringify(reference.slice(0, 200))
const lost = (reference: string): Error =>
  new DocumentProblem(`The reference ${shown(reference)} points to nothing in this document`)
