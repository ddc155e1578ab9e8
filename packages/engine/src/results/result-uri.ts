import { after } from '../awaitable.ts'
import type { Handle } from '../call.ts'
import type { ResourceContents } from '../define/content.ts'
import { fault } from '../jsonrpc/errors.ts'
import { cut } from '../jsonrpc/message.ts'
import { RESULT_META } from './meta-keys.ts'
import { between } from './excerpt.ts'
import type { ResultStore, Whole } from './result-store.ts'
import { asOwn } from '../untrusted/server-text.ts'

/** How results are read in ranges. */
export const RESULT_TEMPLATE = 'result://{id}{?offset,limit}'

const URI = /^result:\/\/((?:[a-z\d]{1,12}\.)?[\da-f]{48})\/?(?:\?([^#]*))?$/
const COUNT = /^\d{1,15}$/

/** The address of a result, or of a range of it. */
export const resultUri = (id: string, range?: { readonly offset: number; readonly limit: number }): string =>
  `result://${id}${range ? `?offset=${range.offset}&limit=${range.limit}` : ''}`

/** How many characters are read at once. */
export interface RangeLimits {
  readonly usual: number
  readonly most: number
}

/** Reads a range of a result, for the one it was kept for. */
export const readRange =
  (kept: ResultStore, limits: RangeLimits): Handle =>
  call => {
    const uri = String(call.params.uri)
    const [, id, query = ''] = URI.exec(uri) ?? []
    if (id === undefined) throw gone(uri)
    const range = new URLSearchParams(query)
    const offset = countOf(range, 'offset', 0, 0)
    const limit = Math.min(countOf(range, 'limit', limits.usual, 1), limits.most)
    return after(kept.read(call, id), found => {
      if (!found) throw gone(uri)
      const contents = contentsOf(found, id, { uri, offset, limit })
      const { writer } = found
      return writer === undefined ? { contents } : { contents, _meta: { [RESULT_META.data]: writer } }
    })
  }

interface Asked {
  readonly uri: string
  readonly offset: number
  readonly limit: number
}

function contentsOf({ text, mimeType }: Whole, id: string, { uri, offset, limit }: Asked): ResourceContents[] {
  const total = text.length
  if (offset >= total && offset > 0)
    throw fault('invalid-params', `Invalid params: "offset" must be less than ${total}, the characters of the result`)
  const start = between(text, offset)
  // A character that takes two units is not parted, though only one was asked for.
  const end = between(text, start + limit) > start ? between(text, start + limit) : Math.min(start + 2, total)
  const next = end < total ? end : undefined
  const page = { offset: start, limit: end - start, total, ...(next !== undefined && { next }) }
  const part = { uri, mimeType, text: text.slice(start, end), _meta: { [RESULT_META.page]: page } }
  if (next === undefined) return [part]
  const onward = resultUri(id, { offset: next, limit })
  // Older clients are shown no `_meta`, and few show it to a model.
  const words = `[Characters ${start} to ${end} of ${total}. Read on: ${onward}]`
  return [part, asOwn({ uri: onward, mimeType: 'text/plain', text: words })]
}

function countOf(range: URLSearchParams, name: string, otherwise: number, least: number): number {
  const sent = range.get(name)
  if (sent === null || sent === '') return otherwise
  if (COUNT.test(sent) && Number(sent) >= least) return Number(sent)
  throw fault(
    'invalid-params',
    `Invalid params: "${name}" must be a whole number, ${least} or more, got '${cut(sent, 100)}'`,
  )
}

function gone(uri: string): Error {
  const shown = cut(uri, 200)
  const hint = 'Results are kept for a while, for the client and the session that got them: call the tool again.'
  return fault('resource-not-found', `Resource not found: ${shown}`, { uri: shown }, { subject: shown, hint })
}
