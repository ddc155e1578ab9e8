import { STATUS_CODES } from 'node:http'
import type { ToolResult } from '../define/content.ts'
import { text } from '../define/content.ts'
import { parseJson } from '../jsonrpc/message.ts'
import { isObject } from '../support/is-object.ts'
import { ownWords } from '../untrusted/server-text.ts'
import type { ApiResponse } from './exchange.ts'
import { isTextType } from './input.ts'
import type { Input } from './input.ts'
import { isJsonType } from './operations.ts'
import type { Operation } from './operations.ts'
import { nextPage } from './paging.ts'

const LONGEST_ERROR = 4000

/** What is known of the call that an API answered. */
export interface Asked {
  readonly operation: Operation
  readonly input: Input
  /** The environment variables that log in. */
  readonly needs: string
}

/** The result of a call: data as structured content, pictures as pictures, an error in words that say what to do. */
export function answerOf(response: ApiResponse, asked: Asked): ToolResult {
  const { status, headers, body } = response
  if (status >= 400) return failed(response, asked)
  const type = typeOf(response)
  if (body.length === 0) return { content: [ownWords(emptyWords(response))] }
  if (isJsonType(type)) {
    const data = parsed(body)
    if (data !== undefined) {
      const more = nextPage(headers, data.value, asked.input)
      const content = [text(JSON.stringify(data.value)), ...(more === undefined ? [] : [ownWords(more)])]
      return { content, ...(isStructured(data.value) && { structuredContent: data.value }) }
    }
  }
  return { content: [block(type, body, asked)] }
}

const isStructured = (value: unknown): boolean => typeof value === 'object' && value !== null

function emptyWords({ status, headers: { location } }: ApiResponse): string {
  const where = typeof location === 'string' ? ` Location: ${location.slice(0, 500)}` : ''
  return `${statusText(status)}, with no content.${where}`
}

const typeOf = ({ headers }: ApiResponse): string => String(headers['content-type'] ?? 'application/json')
const statusText = (status: number): string => `${status} ${STATUS_CODES[status] ?? ''}`.trim()

function parsed(body: Buffer): { readonly value: unknown } | undefined {
  try {
    return { value: parseJson(body.toString('utf8')) }
  } catch {
    return undefined
  }
}

function block(type: string, body: Buffer, { operation }: Asked): ToolResult['content'][number] {
  const mimeType = type.split(';')[0]?.trim() ?? ''
  if (isTextType(mimeType)) return text(body.toString('utf8'))
  const data = body.toString('base64')
  if (/^image\//i.test(mimeType)) return { type: 'image', data, mimeType }
  if (/^audio\//i.test(mimeType)) return { type: 'audio', data, mimeType }
  return { type: 'resource', resource: { uri: `openapi:${operation.path}`, mimeType, blob: data } }
}

/** What went wrong, what the API says of it, and what to do. */
function failed(response: ApiResponse, asked: Asked): ToolResult {
  const { operation } = asked
  const said = wordsOf(response)
  const first = `${operation.method.toUpperCase()} ${operation.path} failed: ${statusText(response.status)}.`
  const content = [
    ownWords([first, remedyFor(response, asked)].filter(words => words !== '').join(' ')),
    ...(said === '' ? [] : [text(said)]),
  ]
  return { content, isError: true }
}

/** What to do about a status; `{needs}` are the variables that log in, `{wait}` is when the API wants the next call. */
const REMEDIES: Readonly<Record<number, string>> = {
  400: 'The API refuses these arguments; it says why below.',
  401: 'The API requires a login: the operator of this server has to set {needs}, or renew it.',
  403: 'The credentials of this server do not allow it ({needs}).',
  404: 'There is nothing with these arguments: check ids and names.',
  405: 'The API does not offer this operation.',
  409: 'It conflicts with the current state: read that first.',
  410: 'There is nothing with these arguments any more.',
  413: 'Send less at once.',
  422: 'The API refuses these arguments; it says why below.',
  429: 'Too many calls: wait before the next one{wait}.',
}

function remedyFor({ status, headers }: ApiResponse, { needs }: Asked): string {
  const { 'retry-after': after } = headers
  const wait = typeof after === 'string' && /^[\w ,:]{1,40}$/.test(after) ? ` (Retry-After: ${after})` : ''
  const remedy = REMEDIES[status] ?? (status >= 500 ? 'The API itself has a problem: retry later{wait}.' : '')
  return remedy.replace('{needs}', needs).replace('{wait}', wait)
}

/** The words of an error: those of problem details (RFC 9457) and its like, else the body. */
function wordsOf(response: ApiResponse): string {
  const type = typeOf(response)
  const value = isJsonType(type) ? parsed(response.body)?.value : undefined
  if (value === undefined && !isTextType(type)) return ''
  const whole = value === undefined ? plainText(response.body.toString('utf8'), type) : JSON.stringify(value)
  const message = messageIn(value)
  return (message !== undefined && whole.length < message.length + 40 ? message : whole).slice(0, LONGEST_ERROR)
}

function messageIn(value: unknown): string | undefined {
  const inner = isObject(value) && isObject(value.error) ? value.error : value
  if (!isObject(inner)) return undefined
  const message = inner.detail ?? inner.message ?? inner.title ?? inner.error_description
  return typeof message === 'string' ? message : undefined
}

/** A page for people says little in much. */
const plainText = (words: string, type: string): string =>
  /html/i.test(type)
    ? words
        .slice(0, 50_000)
        .replaceAll(/<(script|style)\b[\s\S]{0,20000}?<\/\1>/gi, ' ')
        .replaceAll(/<[^<>]{0,500}>/g, ' ')
        .replaceAll(/\s+/g, ' ')
        .trim()
        .slice(0, 500)
    : words.trim()
