import {
  Client as ClientV2,
  SSEClientTransport as SseV2,
  StreamableHTTPClientTransport as HttpV2,
} from '@modelcontextprotocol/client'
import type { VersionNegotiationMode } from '@modelcontextprotocol/client'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { SSEClientTransport as SseV1 } from '@modelcontextprotocol/sdk/client/sse.js'
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { WebSocketClientTransport as SocketV1 } from '@modelcontextprotocol/sdk/client/websocket.js'
import * as v1 from '@modelcontextprotocol/sdk/types.js'
import type { Transport as TransportV1 } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { Transport as TransportV2 } from '@modelcontextprotocol/client'
import { asking } from './asking.ts'
import type { Asking } from './asking.ts'
import type { Answer, CallOptions } from './clients.ts'

/** What a client is told to say of itself and to answer. */
export interface Person {
  readonly name: string
  readonly token?: string
}

/** A connection of an official client over HTTP. */
export interface HttpTalk extends Asking {
  readonly version: string | undefined
  readonly server: string | undefined
  /** How often it was told that the list of tools changed. */
  changes(): number
  tools(): Promise<string[]>
  prompt(name: string): Promise<Answer>
  read(uri: string): Promise<Answer>
  call(name: string, args?: Record<string, unknown>, options?: CallOptions): Promise<Answer>
  /** Say goodbye the way the transport has it. */
  close(): Promise<void>
}

/** An official client in one of its modes over one of its transports. */
export interface HttpMode {
  readonly name: string
  /** What it must come to speak with us. */
  readonly version: string
  connect(url: string, person?: Person): Promise<HttpTalk>
}

const INFO = { name: 'interop', version: '1.0.0' }
const CAPABILITIES = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} }
const ROOTS = { roots: [{ uri: 'file:///home/ada' }] }
const THOUGHT = { role: 'assistant' as const, model: 'm', content: { type: 'text' as const, text: 'so be it' } }
const accept = (name: string) => ({ action: 'accept' as const, content: { name } })
const visited = { action: 'accept' as const }
// Nobody should wait for a connection that was dropped on purpose.
const soon = { initialReconnectionDelay: 5, maxReconnectionDelay: 50, reconnectionDelayGrowFactor: 1, maxRetries: 5 }

const given = ({ token }: Person): { requestInit: { headers: Record<string, string> } } => ({
  requestInit: { headers: token === undefined ? {} : { Authorization: `Bearer ${token}` } },
})

const first = (name: string, open: (url: string, person: Person) => TransportV1): HttpMode => ({
  name: `sdk 1 over ${name}`,
  version: '2025-11-25',
  async connect(url, person = { name: 'nobody' }) {
    const client = new ClientV1(INFO, { capabilities: CAPABILITIES })
    client.setRequestHandler(v1.ElicitRequestSchema, ({ params }) =>
      params.mode === 'url' ? visited : accept(person.name),
    )
    client.setRequestHandler(v1.CreateMessageRequestSchema, () => THOUGHT)
    client.setRequestHandler(v1.ListRootsRequestSchema, () => ROOTS)
    let changes = 0
    client.setNotificationHandler(v1.ToolListChangedNotificationSchema, () => void (changes += 1))
    const transport = open(url, person)
    let version: string | undefined
    const known = transport.setProtocolVersion?.bind(transport)
    transport.setProtocolVersion = agreed => {
      version = agreed
      known?.(agreed)
    }
    await client.connect(transport)
    return {
      ...asking(client, version),
      version,
      server: client.getServerVersion()?.name,
      changes: () => changes,
      tools: async () => (await client.listTools()).tools.map(({ name }) => name),
      prompt: name => client.getPrompt({ name }),
      read: uri => client.readResource({ uri }),
      call: (name, args = {}, options = {}) => client.callTool({ name, arguments: args }, undefined, options),
      async close() {
        if (transport instanceof HttpV1) await transport.terminateSession()
        await client.close()
      },
    }
  },
})

const second = (
  name: string,
  version: string,
  open: (url: string, person: Person) => TransportV2,
  mode: VersionNegotiationMode = 'legacy',
): HttpMode => ({
  name: `client 2 over ${name}`,
  version,
  async connect(url, person = { name: 'nobody' }) {
    let changes = 0
    const client = new ClientV2(INFO, { capabilities: CAPABILITIES, versionNegotiation: { mode } })
    client.setRequestHandler('elicitation/create', ({ params }) =>
      params.mode === 'url' ? visited : accept(person.name),
    )
    client.setRequestHandler('sampling/createMessage', () => THOUGHT)
    client.setRequestHandler('roots/list', () => ROOTS)
    client.setNotificationHandler('notifications/tools/list_changed', () => void (changes += 1))
    const transport = open(url, person)
    await client.connect(transport)
    const agreed = client.getNegotiatedProtocolVersion()
    const listening = agreed === '2026-07-28' ? await client.listen({ toolsListChanged: true }) : undefined
    return {
      ...asking(client, agreed),
      version: agreed,
      server: client.getServerVersion()?.name,
      changes: () => changes,
      tools: async () => (await client.listTools({}, { cacheMode: 'refresh' })).tools.map(({ name }) => name),
      prompt: name => client.getPrompt({ name }),
      read: uri => client.readResource({ uri }),
      call: (name, args = {}, options = {}) => client.callTool({ name, arguments: args }, options),
      async close() {
        await listening?.close()
        if (transport instanceof HttpV2) await transport.terminateSession()
        await client.close()
      },
    }
  },
})

const streamable = (url: string, person: Person): HttpV2 =>
  new HttpV2(new URL('/mcp', url), { ...given(person), reconnectionOptions: soon })

/** The official clients, in all their modes, over all their transports. */
export const httpModes: readonly HttpMode[] = [
  first('Streamable HTTP', (url, person) => {
    return new HttpV1(new URL('/mcp', url), { ...given(person), reconnectionOptions: soon })
  }),
  first('HTTP+SSE', (url, person) => new SseV1(new URL('/sse', url), given(person))),
  first('WebSocket', url => new SocketV1(new URL('/ws', url.replace(/^http/, 'ws')))),
  second('Streamable HTTP, legacy', '2025-11-25', streamable),
  second('Streamable HTTP, negotiating', '2026-07-28', streamable, 'auto'),
  second('Streamable HTTP, pinned', '2026-07-28', streamable, { pin: '2026-07-28' }),
  second('HTTP+SSE', '2025-11-25', (url, person) => new SseV2(new URL('/sse', url), given(person))),
]
