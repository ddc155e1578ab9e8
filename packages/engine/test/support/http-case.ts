import { expect } from 'vitest'
import { exchange } from './http-exchange.ts'
import type { Sent } from './http-exchange.ts'
import type { ReceivedMessage } from './peer.ts'

/** One exchange as data: what is sent, and all that must be so of the answer. */
export interface Case {
  /** Begins with the rules it proves, in brackets. */
  readonly title: string
  readonly sent: Sent
  readonly status: number
  /** The code of the JSON-RPC error in the body; without one or a result, the body is empty. */
  readonly code?: number
  /** The id of the body; left out means that there must be none. */
  readonly id?: ReceivedMessage['id']
  /** Words the error must have. */
  readonly words?: RegExp
  readonly headers?: Readonly<Record<string, string | RegExp>>
  /** Members the error's data must have. */
  readonly data?: object
  readonly result?: object
}

/** Send it; what came back, as far as the case speaks of it. */
export async function answerTo(url: string, { sent, headers = {} }: Case): Promise<object> {
  const { status, text, headers: said } = await exchange(url, sent)
  const body: unknown = said['content-type'] === 'application/json' ? JSON.parse(text) : text
  return { status, body, headers: Object.fromEntries(Object.keys(headers).map(name => [name, said[name]])) }
}

/** What must come back. */
export function wanted({ status, code, id, words = /\S/, data, result, headers = {} }: Case): object {
  const error = { code, message: expect.stringMatching(words), ...(data && { data: expect.objectContaining(data) }) }
  const envelope = { jsonrpc: '2.0', ...(id !== undefined && { id }) }
  const failed = { ...envelope, error: expect.objectContaining(error) }
  const went = result ? { ...envelope, result: expect.objectContaining(result) } : ''
  const fields = Object.entries(headers).map(([name, value]) => {
    return [name, typeof value === 'string' ? value : expect.stringMatching(value)]
  })
  return { status, body: code === undefined ? went : failed, headers: Object.fromEntries(fields) }
}
