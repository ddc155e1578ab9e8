import type { ParamHeader } from '../../wire.ts'
import { isObject } from '../../jsonrpc/message.ts'
import type { Params } from '../../jsonrpc/message.ts'
import type { Mirrors } from '../../client/transports/transport.ts'

const NAMED: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
}

const PLAIN = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/

/** A value as a header can carry it. */
export const encodeHeader = (value: string): string =>
  PLAIN.test(value) && !(value.startsWith('=?base64?') && value.endsWith('?='))
    ? value
    : `=?base64?${btoa(Array.from(new TextEncoder().encode(value), byte => String.fromCharCode(byte)).join(''))}?=`

/** The headers that repeat a request of the stateless era, for those who route by them. */
export function mirrorsOf(method: string, params: Params, annotated: readonly ParamHeader[] = []): Mirrors {
  const mirrors: Record<string, string> = { 'mcp-method': method }
  const name = params[NAMED[method] ?? '']
  if (typeof name === 'string') mirrors['mcp-name'] = encodeHeader(name)
  for (const { header, path } of annotated) {
    const value = path.reduce<unknown>((inner, key) => (isObject(inner) ? inner[key] : undefined), params.arguments)
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') {
      mirrors[`mcp-param-${header.toLowerCase()}`] = encodeHeader(String(value))
    }
  }
  return mirrors
}
