import { text } from '../define/content.ts'
import type { TextContent } from '../define/content.ts'

const own = new WeakSet<object>()

/** A block in which the server itself speaks, in a result that others wrote. */
export function ownWords(words: string): TextContent {
  const block = text(words)
  own.add(block)
  return block
}

/** Remember that the server itself speaks here. */
export function asOwn<T extends object>(block: T): T {
  own.add(block)
  return block
}

/** Does the server itself speak here? */
export const isOwn = (block: object): boolean => own.has(block)
