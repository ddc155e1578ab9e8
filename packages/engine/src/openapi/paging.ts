import { isObject } from '../support/is-object.ts'
import type { ResponseHeaders } from '../client/transports/http-client.ts'
import type { Json } from './document.ts'
import type { Input } from './input.ts'

// Where APIs say how to go on, and which arguments take that.
const CURSORS: readonly (readonly [member: string, takers: readonly string[]])[] = [
  ['next_cursor', ['cursor', 'next_cursor', 'after', 'starting_after']],
  ['nextCursor', ['cursor', 'nextCursor', 'after']],
  ['next_page_token', ['page_token', 'pageToken', 'next_page_token']],
  ['nextPageToken', ['pageToken', 'page_token']],
  ['next_token', ['next_token', 'nextToken', 'pagination_token']],
  ['nextToken', ['nextToken', 'next_token']],
  ['continue', ['continue']],
  ['next_page', ['page', 'next_page']],
  ['nextPage', ['page', 'nextPage']],
  ['offset', ['offset']],
]
const INSIDE = ['metadata', 'meta', 'pagination', 'paging', 'page_info', 'pageInfo', 'response_metadata']
const LONGEST = 500

/** How to get what comes next, if the answer says that there is more. */
export function nextPage(headers: ResponseHeaders, body: unknown, { slots }: Input): string | undefined {
  const takes = (name: string): boolean => slots.get(name)?.kind === 'parameter'
  const args =
    fromLink(headers.link, takes) ?? fromCursor(body, takes) ?? fromLast(body, takes) ?? fromNext(body, takes)
  return args && `There is more. Call this tool again with the same arguments and ${shown(args)}.`
}

/** An address in the body. */
function fromNext(body: unknown, takes: Takes): Json | undefined {
  if (!isObject(body)) return undefined
  const { _links: links } = body
  const inLinks = isObject(links) && isObject(links.next) ? links.next.href : undefined
  const next = body.next ?? body['@odata.nextLink'] ?? inLinks
  return typeof next === 'string' ? fromUrl(next, takes) : undefined
}

const shown = (args: Json): string =>
  Object.entries(args)
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
    .join(', ')

type Takes = (name: string) => boolean

/** `Link: <https://…?page=2>; rel="next"` */
function fromLink(link: string | string[] | undefined, takes: Takes): Json | undefined {
  const text = [link ?? []].flat().join(', ').slice(0, 8000)
  for (const part of text.split(/,(?=\s*<)/)) {
    const [, url] = /^\s*<([^<>]*)>[^<>]*;\s*rel="?next"?/i.exec(part) ?? []
    if (url !== undefined) return fromUrl(url, takes)
  }
  return undefined
}

/** The parameters of the next address that make it the next one. */
function fromUrl(text: string, takes: Takes): Json | undefined {
  if (!URL.canParse(text, 'http://here/')) return undefined
  const found = [...new URL(text, 'http://here/').searchParams].filter(
    ([name, value]) =>
      takes(name) && value.length <= LONGEST && /page|cursor|after|offset|start|token|skip/i.test(name),
  )
  return found.length === 0 ? undefined : Object.fromEntries(found.filter(([name]) => !/^per_?page$|size$/i.test(name)))
}

function fromCursor(body: unknown, takes: Takes): Json | undefined {
  if (!isObject(body)) return undefined
  for (const place of [body, ...INSIDE.map(name => body[name])]) {
    if (!isObject(place)) continue
    for (const [member, takers] of CURSORS) {
      const value = place[member]
      const isCursor = (typeof value === 'string' && value !== '') || (typeof value === 'number' && member !== 'offset')
      const taker = takers.find(takes)
      if (isCursor && taker !== undefined && String(value).length <= LONGEST) return { [taker]: value }
    }
  }
  return undefined
}

/** `has_more`, and a parameter that takes the id of the last one. */
function fromLast(body: unknown, takes: Takes): Json | undefined {
  if (!isObject(body) || body.has_more !== true || !Array.isArray(body.data)) return undefined
  const last: unknown = body.data.at(-1)
  return takes('starting_after') && isObject(last) && typeof last.id === 'string'
    ? { starting_after: last.id }
    : undefined
}
