import { once } from 'node:events'
import { get } from 'node:http'
import type { IncomingMessage } from 'node:http'
import type { Conversation, Json } from './conversation.ts'

const MIRRORED: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
}

/** Brings a conversation's messages to a server, and what the server says back to the conversation. */
export interface Carrier {
  /** Resolves when the message is on its way; with HTTP, when it was answered. */
  send(text: string): Promise<void>
  /** Leave, politely or not; true if the server is well. */
  close(polite?: boolean): Promise<boolean>
}

/** One POST a message; answers come as JSON or as events. */
export class HttpCarrier implements Carrier {
  readonly #conversation: Conversation
  readonly #url: string
  readonly #path: string
  readonly #stateless: boolean
  readonly #gone = new AbortController()
  #session: string | undefined

  constructor(conversation: Conversation, url: string, path: string, stateless: boolean) {
    this.#conversation = conversation
    this.#url = url
    this.#path = path
    this.#stateless = stateless
  }

  async send(text: string): Promise<void> {
    try {
      await this.#post(text)
    } catch (error) {
      if (!this.#gone.signal.aborted) this.#conversation.problems.push(`a post failed: ${describe(error)}`)
    }
  }

  async #post(text: string): Promise<void> {
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(this.#session !== undefined && { 'mcp-session-id': this.#session }),
      ...(this.#stateless && mirrors(text, this.#conversation.version)),
    }
    const response = await fetch(this.#url + this.#path, {
      method: 'POST',
      body: text,
      headers,
      signal: this.#gone.signal,
    })
    this.#session ??= response.headers.get('mcp-session-id') ?? undefined
    if (response.headers.get('content-type')?.startsWith('text/event-stream')) {
      return eventsOf(response, ({ event, data }) => {
        if (event !== 'done' && data !== '') this.#conversation.receive(data)
      })
    }
    const body = await response.text()
    if (body !== '') this.#conversation.receive(body)
    // Refused as a whole: that was the answer to everything in it, whatever id it carries.
    if (response.status >= 400) settleAll(this.#conversation, text)
  }

  async close(polite = true): Promise<boolean> {
    this.#gone.abort()
    const alive = await isAlive(this.#url)
    if (polite && this.#session !== undefined) {
      const ended = await fetch(this.#url + this.#path, {
        method: 'DELETE',
        headers: { 'mcp-session-id': this.#session },
      })
      await ended.text()
    }
    return alive
  }
}

const describe = (error: unknown): string =>
  error instanceof Error
    ? [error, error.cause].map(e => (e instanceof Error ? e.message : '')).join(' ')
    : String(error)

/** Headers that repeat what a stateless request says; where they cannot, they are left out. */
function mirrors(text: string, version: string): Record<string, string> {
  const headers: Record<string, string> = { 'mcp-protocol-version': version }
  try {
    const { method, params } = JSON.parse(text) as Json
    if (typeof method !== 'string') return headers
    headers['mcp-method'] = printable(method)
    const name = (params as Json | undefined)?.[MIRRORED[method] ?? '']
    if (typeof name === 'string') headers['mcp-name'] = printable(name)
  } catch {
    // Nothing to repeat.
  }
  return headers
}

const printable = (value: string): string =>
  /^[!-~]+$/.test(value) ? value : `=?base64?${Buffer.from(value).toString('base64')}?=`

/** Read server-sent events until the stream ends. */
export async function eventsOf(
  response: Response,
  onEvent: (event: { event: string; data: string }) => void,
): Promise<void> {
  let text = ''
  try {
    for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += piece
      for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
        onEvent(parsed(text.slice(0, end)))
        text = text.slice(end + 2)
      }
    }
  } catch {
    // Cut off; whatever was owed is still owed.
  }
}

function parsed(block: string): { event: string; data: string } {
  const field = (name: string): string =>
    block
      .split('\n')
      .filter(line => line.startsWith(`${name}:`))
      .map(line => line.slice(name.length + 1).trimStart())
      .join('\n')
  return { event: field('event'), data: field('data') }
}

/** Every request in this text counts as answered. */
export function settleAll(conversation: Conversation, text: string): void {
  try {
    for (const message of [JSON.parse(text)].flat() as Json[]) conversation.settle(message?.id)
  } catch {
    // Not JSON, so nothing was owed.
  }
}

/** Does the server answer its health check? */
export async function isAlive(url: string): Promise<boolean> {
  // On a connection of its own: one that idled may be closed by the server in this very moment.
  const asked = get(`${url}/health/live`, { agent: false, timeout: 10_000 })
  asked.on('timeout', () => asked.destroy(new Error('no answer within 10 s')))
  try {
    const [response] = (await once(asked, 'response')) as [IncomingMessage]
    response.resume()
    if (response.statusCode !== 200) console.error(`/health/live of ${url}: ${response.statusCode}`)
    return response.statusCode === 200
  } catch (error) {
    console.error(`/health/live of ${url}: ${String(error)}`)
    return false
  }
}
