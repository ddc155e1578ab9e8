import type { Call } from '../call.ts'
import { text } from '../define/content.ts'
import type { TextContent } from '../define/content.ts'

/** A block in which the server itself speaks, in a result that others wrote. */
export const ownWords = (call: Call, words: string): TextContent => asOwn(call, text(words))

/** Remember that the server itself speaks here. */
export function asOwn<T extends object>({ cancellation }: Call, block: T): T {
  cancellation.ownBlocks ??= new Set()
  cancellation.ownBlocks.add(block)
  return block
}

/** Does the server itself speak here? */
export const isOwn = ({ cancellation }: Call, block: object): boolean => cancellation.ownBlocks?.has(block) === true
