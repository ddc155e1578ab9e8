import { once } from 'node:events'
import { WebSocket } from 'ws'
import { Spawned } from '../support/spawned.ts'
import type { Conversation } from './conversation.ts'
import type { Carrier } from './http-carrier.ts'
import { HttpCarrier, eventsOf, isAlive, settleAll } from './http-carrier.ts'

/** How a conversation reaches a server. */
export interface Way {
  readonly name: string
  readonly stateless: boolean
  readonly handshake: boolean
  open(conversation: Conversation, target: Target): Promise<Carrier>
}

/** A server to talk to: one that listens, and how to start one on pipes. */
export interface Target {
  readonly url: string
  /** Undefined where it does not serve on pipes. */
  readonly stdio: readonly string[] | undefined
  readonly script?: string
}

async function overStdio(conversation: Conversation, { stdio, script }: Target): Promise<Carrier> {
  const child = new Spawned(stdio ?? [], script === undefined ? {} : { script })
  let at = 0
  const read = child.until<never>(() => {
    for (; at < child.lines.length; at++) conversation.receive(child.lines[at] ?? '')
    return undefined
  })
  read.catch(() => conversation.close())
  return {
    async send(text) {
      child.write(`${text}\n`)
    },
    async close() {
      const alive = child.process.exitCode === null && child.process.signalCode === null
      const { code } = await child.end()
      if (child.rest !== '') conversation.problems.push(`stdout ended in ${child.rest.slice(0, 200)}`)
      return alive && code === 0
    },
  }
}

async function overWebSocket(conversation: Conversation, { url }: Target): Promise<Carrier> {
  const ws = new WebSocket(`${url.replace(/^http/, 'ws')}/ws`, 'mcp')
  ws.on('error', () => conversation.close())
  ws.on('close', () => conversation.close())
  ws.on('message', (data: Buffer) => conversation.receive(data.toString()))
  await once(ws, 'open')
  return {
    async send(text) {
      if (ws.readyState === ws.OPEN) ws.send(text)
    },
    async close() {
      ws.terminate()
      return isAlive(url)
    },
  }
}

/** HTTP+SSE of the first revision: a stream to listen to, and an address to post to. */
async function overSse(conversation: Conversation, { url }: Target): Promise<Carrier> {
  const gone = new AbortController()
  const response = await fetch(`${url}/sse`, { headers: { accept: 'text/event-stream' }, signal: gone.signal })
  const endpoint = await new Promise<string>(resolve => {
    void eventsOf(response, ({ event, data }) => {
      if (event === 'endpoint') resolve(new URL(data, url).href)
      // A comment that keeps the connection alive has no data.
      else if (data !== '') conversation.receive(data)
    }).finally(() => conversation.close())
  })
  return {
    async send(text) {
      const headers = { 'content-type': 'application/json' }
      try {
        const posted = await fetch(endpoint, { method: 'POST', body: text, headers, signal: gone.signal })
        const body = await posted.text()
        // A refusal of the post is the answer.
        if (posted.status !== 202 && body !== '') settleAll(conversation, text)
      } catch (error) {
        if (!gone.signal.aborted) conversation.problems.push(`a post failed: ${String(error)}`)
      }
    },
    async close() {
      gone.abort()
      return isAlive(url)
    },
  }
}

const http =
  (path: string, stateless: boolean): Way['open'] =>
  async (conversation, { url }) =>
    new HttpCarrier(conversation, url, path, stateless)

/** Every way into a server. */
export const ways: readonly Way[] = [
  { name: 'stdio', stateless: false, handshake: true, open: overStdio },
  { name: 'stdio stateless', stateless: true, handshake: false, open: overStdio },
  { name: '/mcp', stateless: false, handshake: true, open: http('/mcp', false) },
  { name: '/mcp stateless', stateless: true, handshake: false, open: http('/mcp', true) },
  { name: '/rpc', stateless: false, handshake: false, open: http('/rpc', false) },
  { name: 'POST /sse', stateless: false, handshake: false, open: http('/sse', false) },
  { name: '/ws', stateless: false, handshake: true, open: overWebSocket },
  { name: '/ws stateless', stateless: true, handshake: false, open: overWebSocket },
  { name: '/ws without handshake', stateless: false, handshake: false, open: overWebSocket },
  { name: 'GET /sse', stateless: false, handshake: true, open: overSse },
]
