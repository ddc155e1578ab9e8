import { deepEqual, equal, ok } from 'node:assert/strict'
import type { Params } from '../jsonrpc/message.ts'
import { createServer } from '../server.ts'
import type { Server } from '../server.ts'
import { tool } from '../define/define.ts'
import { versions, isSessionVersion } from '../protocol/revisions.ts'
import { eventually } from './contract.ts'
import type { ContractCase } from './contract.ts'

/** How the cases get at a transport that serves one client over one connection. */
export interface TransportUnderTest {
  /** Serve a server to one client; `onText` gets each message that reaches the client, in order. */
  connect(server: Server, onText: (text: string) => void): ClientEnd | Promise<ClientEnd>
}

/** The client's end of a connection. */
export interface ClientEnd {
  /** Send the text of one message. */
  send(text: string): void
  close(): void | Promise<void>
}

interface Received {
  readonly id?: unknown
  readonly method?: string
  readonly params?: Params
  readonly result?: Params
  readonly error?: { readonly code: number; readonly message: string }
}

/** A client that sends messages and waits for what comes. */
class Talk {
  readonly received: Received[] = []
  readonly #end: ClientEnd
  #last = 0

  constructor(end: ClientEnd, received: Received[]) {
    this.#end = end
    this.received = received
  }

  send(message: unknown): void {
    this.#end.send(typeof message === 'string' ? message : JSON.stringify(message))
  }

  ask(method: string, params: Params = {}): number {
    const id = ++this.#last
    this.send({ jsonrpc: '2.0', id, method, params })
    return id
  }

  async answered(id: unknown): Promise<Received> {
    const find = (): Received | undefined => this.received.find(one => one.method === undefined && one.id === id)
    await eventually(() => find() !== undefined)
    return find() ?? {}
  }

  async initialize(): Promise<void> {
    const protocolVersion = versions.find(isSessionVersion)
    const capabilities = { elicitation: {} }
    await this.answered(this.ask('initialize', { protocolVersion, capabilities, clientInfo: CLIENT }))
    this.send({ jsonrpc: '2.0', method: 'notifications/initialized' })
  }

  call(name: string, args: Params = {}, _meta?: Params): number {
    return this.ask('tools/call', { name, arguments: args, ...(_meta && { _meta }) })
  }
}

const CLIENT = { name: 'contract', version: '1' }

/** A server whose tools show what a transport has to do. */
export function subject(released: Promise<void>): Server {
  return createServer({ name: 'contract', version: '1', log: false }).add(
    tool({ name: 'echo', input: { type: 'object' } }, input => JSON.stringify(input)),
    tool({ name: 'wait' }, async (_, ctx) => {
      ctx.progress(1)
      await Promise.race([released, new Promise(resolve => ctx.signal.addEventListener('abort', resolve))])
      return 'released'
    }),
    tool({ name: 'ask' }, async (_, ctx) => {
      const schema = { type: 'object', properties: { name: { type: 'string' } } } as const
      return JSON.stringify(await ctx.elicit('name', { message: 'Your name?', schema }))
    }),
  )
}

function transportCase(
  name: string,
  run: (talk: Talk, release: () => void) => Promise<void>,
): ContractCase<TransportUnderTest> {
  return {
    name,
    run: async ({ connect }) => {
      let release = (): void => {}
      const released = new Promise<void>(resolve => (release = resolve))
      const received: Received[] = []
      const onText = (text: string): void => void received.push(JSON.parse(text) as Received)
      const end = await connect(subject(released), onText)
      try {
        await run(new Talk(end, received), release)
      } finally {
        release()
        await end.close()
      }
    },
  }
}

const textOf = ({ result }: Received): unknown => (result?.content as { text: string }[] | undefined)?.[0]?.text

/** What every transport does, whatever carries the messages. */
export const transportContract: readonly ContractCase<TransportUnderTest>[] = [
  transportCase('brings requests and their answers, whatever characters they have', async talk => {
    await talk.initialize()
    const text = 'line\nbreak \u2028 "quotes" \u{1f600} \\u0000'
    equal(textOf(await talk.answered(talk.call('echo', { text }))), JSON.stringify({ text }))
    const long = 'x'.repeat(200_000)
    equal(textOf(await talk.answered(talk.call('echo', { long }))), JSON.stringify({ long }))
  }),
  transportCase('answers what it cannot read, and goes on', async talk => {
    await talk.initialize()
    talk.send('{ this is no JSON')
    await eventually(() => talk.received.some(({ error }) => error?.code === -32700))
    deepEqual((await talk.answered(talk.ask('ping'))).result, {})
  }),
  transportCase('answers no notification', async talk => {
    await talk.initialize()
    const before = talk.received.length
    talk.send({ jsonrpc: '2.0', method: 'notifications/unknown' })
    await talk.answered(talk.ask('ping'))
    equal(talk.received.length, before + 1)
  }),
  transportCase(
    'serves one request while another one waits, and sends what comes before an answer',
    async (talk, release) => {
      await talk.initialize()
      const waiting = talk.call('wait', {}, { progressToken: 'p' })
      await eventually(() => talk.received.some(({ method }) => method === 'notifications/progress'))
      deepEqual((await talk.answered(talk.ask('ping'))).result, {})
      ok(!talk.received.some(({ id, method }) => id === waiting && method === undefined))
      release()
      equal(textOf(await talk.answered(waiting)), 'released')
    },
  ),
  transportCase('lets a client cancel a request, which then has no answer', async talk => {
    await talk.initialize()
    const waiting = talk.call('wait', {}, { progressToken: 'p' })
    await eventually(() => talk.received.some(({ method }) => method === 'notifications/progress'))
    talk.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: waiting } })
    await talk.answered(talk.ask('ping'))
    await talk.answered(talk.ask('ping'))
    ok(!talk.received.some(({ id, method }) => id === waiting && method === undefined))
  }),
  transportCase('brings questions of the server and their answers', async talk => {
    await talk.initialize()
    const asking = talk.call('ask')
    const question = (): Received | undefined => talk.received.find(({ method }) => method === 'elicitation/create')
    await eventually(() => question() !== undefined)
    talk.send({ jsonrpc: '2.0', id: question()?.id, result: { action: 'accept', content: { name: 'Ada' } } })
    ok(String(textOf(await talk.answered(asking))).includes('Ada'))
  }),
]
