import { Stateless } from '../../packages/engine/test/support/http-client.ts'
import { JSON_HEADERS, exchange, open } from '../../packages/engine/test/support/http-exchange.ts'
import type { Answer, Sent } from '../../packages/engine/test/support/http-exchange.ts'
import { WsClient } from '../../packages/engine/test/support/ws-client.ts'
import type { Place } from './row.ts'
import type { World } from './world.ts'

/** One conversation. */
export interface DocumentConversation {
  /** Say something, and hear the answer; where none is expected, hear that there is none. */
  say(said: object | string, isSilent: boolean): Promise<unknown>
  close(): unknown
}

/** One way into a server, for messages as they are. */
export interface DocumentTransport {
  readonly name: Place
  open(world: World): Promise<DocumentConversation>
}

const textOf = (said: object | string): string => (typeof said === 'string' ? said : JSON.stringify(said))

/** The message in a body: JSON, or the first event that is one. */
function messageIn({ text }: Answer): unknown {
  const json = /^[{[]/.test(text) ? text : /^data: (\{"jsonrpc".*)$/m.exec(text)?.[1]
  return json === undefined ? undefined : JSON.parse(json)
}

const post = (url: string, sent: Sent): Promise<Answer> =>
  exchange(url, { ...sent, body: textOf(sent.body as object | string) })

/** A connection on which answers come one after the other. */
interface Feed {
  readonly texts: () => readonly string[]
  reads(isSo: () => boolean): Promise<unknown>
  /** Gives what was refused before it became a message. */
  send(text: string): unknown
}

const PING = '{"jsonrpc":"2.0","id":"after silence","method":"ping"}'

const following =
  ({ texts, reads, send }: Feed): DocumentConversation['say'] =>
  async (said, isSilent) => {
    const at = texts().length
    const refused = await send(textOf(said))
    if (refused !== undefined) return refused
    if (isSilent) await send(PING)
    await reads(() => texts().length > at)
    const answer = JSON.parse(texts()[at] ?? '') as { id?: unknown }
    return isSilent && answer.id === 'after silence' ? undefined : answer
  }

const stdio: DocumentTransport = {
  name: 'stdio',
  async open(world) {
    const spawned = world.spawn('--stdio')
    return {
      say: following({
        texts: () => spawned.lines,
        reads: isSo => spawned.until(() => isSo() || undefined),
        send: text => spawned.write(`${text}\n`),
      }),
      close: () => spawned.end(),
    }
  },
}

const session: DocumentTransport = {
  name: '/mcp',
  async open(world) {
    const url = await world.url()
    const headers: Record<string, string> = { ...JSON_HEADERS }
    return {
      async say(said) {
        const answer = await post(url, { headers, body: said })
        const id = answer.headers['mcp-session-id']
        if (typeof id === 'string') headers['mcp-session-id'] = id
        return messageIn(answer)
      },
      close: () => exchange(url, { method: 'DELETE', headers }),
    }
  },
}

const stateless: DocumentTransport = {
  name: '/mcp stateless',
  async open(world) {
    const client = new Stateless(await world.url())
    const plain = { headers: { ...JSON_HEADERS, 'mcp-protocol-version': '2026-07-28' } }
    return {
      async say(said) {
        const sent = typeof said === 'string' ? { ...plain, body: said } : client.sent({ ...said })
        return messageIn(await post(client.url, sent))
      },
      close: () => {},
    }
  },
}

/** Each message on its own. */
const posting = (name: Place, path: string): DocumentTransport => ({
  name,
  async open(world) {
    const url = await world.url()
    return {
      say: async said => messageIn(await post(url, { path, headers: JSON_HEADERS, body: said })),
      close: () => {},
    }
  },
})

const socket: DocumentTransport = {
  name: '/ws',
  async open(world) {
    const client = await WsClient.open(await world.url())
    const onSocket = following({
      texts: () => client.frames,
      reads: isSo => client.reads(isSo),
      send: text => client.ws.send(text),
    })
    return {
      // A socket that is closed is an answer too.
      say: (said, isSilent) => onSocket(said, isSilent).catch(async () => ({ closed: await client.closed })),
      close: () => client.close(),
    }
  },
}

const twoEndpoints: DocumentTransport = {
  name: 'GET /sse',
  async open(world) {
    const url = await world.url()
    const stream = await open(url, { method: 'GET', path: '/sse', headers: { accept: 'text/event-stream' } })
    await stream.reads(() => stream.events.length > 0)
    const path = stream.events[0]?.data ?? ''
    return {
      say: following({
        texts: () => stream.events.slice(1).map(({ data }) => data),
        reads: isSo => stream.reads(isSo),
        async send(body) {
          const answer = await post(url, { path, headers: JSON_HEADERS, body })
          return answer.status === 202 ? undefined : messageIn(answer)
        },
      }),
      close: () => stream.hangUp(),
    }
  },
}

/** Every door. */
export const documentTransports: readonly DocumentTransport[] = [
  stdio,
  session,
  stateless,
  posting('/rpc', '/rpc'),
  posting('POST /sse', '/sse'),
  socket,
  twoEndpoints,
]
