import { RESULT_META } from '@causeway/engine'
import { ownWords } from '@causeway/engine/internal'
import type { Content, ToolResult } from '@causeway/engine'

/** Which part of a list or a text this is. */
export interface Page {
  /** Where it begins: how many came before it, or of a file the number of its first line. */
  readonly offset: number
  readonly limit: number
  /** How many there are in all, where that is known. */
  readonly total?: number
  /** The offset to go on with; absent at the end. */
  readonly next?: number
}

/** The arguments of a tool whose results have pages. */
export const offsetArgument: {
  readonly type: 'integer'
  readonly minimum: 0
  readonly default: 0
  readonly description: string
} = { type: 'integer', minimum: 0, default: 0, description: 'How many to skip; to read on: next' }

/** One page of a list. */
export function pageOf<T>(
  all: readonly T[],
  { offset, limit }: { readonly offset: number; readonly limit: number },
): { readonly items: readonly T[]; readonly page: Page & { readonly total: number } } {
  const items = all.slice(offset, offset + limit)
  const end = offset + items.length
  const next = end < all.length && items.length > 0 ? { next: end } : {}
  return { items, page: { offset, limit, total: all.length, ...next } }
}

/** A result that is a part of a whole: how to read on is said beside it, and in `_meta`. */
export function withPage(content: readonly Content[], page: Page): ToolResult {
  const { total, next } = page
  const of = total === undefined ? '' : ` of ${total}`
  const note = next === undefined ? [] : [ownWords(`[There is more${of}: continue with offset ${next}.]`)]
  return { content: [...content, ...note], _meta: { [RESULT_META.page]: page } }
}
