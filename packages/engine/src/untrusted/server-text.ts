import { text } from '../define/content.ts'
import type { TextContent } from '../define/content.ts'

/** Blocks and errors in which the server itself speaks. */
const own = new WeakSet<object>()

/** A block in which the server itself speaks, in a result that others wrote. */
export const ownWords = (words: string): TextContent => asOwn(text(words))

/** Remember that the server itself speaks here. */
export function asOwn<T extends object>(block: T): T {
  own.add(block)
  return block
}

/** Does the server itself speak here? */
export const isOwn = (block: object): boolean => own.has(block)
