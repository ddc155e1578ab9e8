import { deepEqual, equal, ok } from 'node:assert/strict'
import type { ClientTransport, ServerMessage } from '../client/transports/transport.ts'
import type { Params, Request, Response } from '../jsonrpc/message.ts'
import { notification, success } from '../jsonrpc/message.ts'
import { isSessionVersion, versions } from '../protocol/revisions.ts'
import type { Server } from '../server.ts'
import { eventually } from './contract.ts'
import type { ContractCase } from './contract.ts'
import { subject } from './transport-contract.ts'

/** How the cases get at a client's transport. */
export interface ClientTransportUnderTest {
  /** A transport to that server, not opened yet. */
  connect(server: Server): ConnectedTransport | Promise<ConnectedTransport>
}

/** A transport, and how to end the server that it leads to. */
export interface ConnectedTransport {
  readonly transport: ClientTransport
  stop(): void | Promise<void>
}

/** One request and everything that its sink got. */
interface Sent {
  readonly request: Request
  readonly messages: ServerMessage[]
  readonly ends: (Response | Error)[]
}

/** A client that speaks through the transport and keeps what comes. */
class Talk {
  readonly transport: ClientTransport
  /** What came for no request in particular. */
  readonly heard: ServerMessage[] = []
  #last = 0

  constructor(transport: ClientTransport) {
    this.transport = transport
    transport.listener = { onMessage: message => void this.heard.push(message), onClose: () => {} }
  }

  ask(method: string, params: Params = {}): Sent {
    const request: Request = { jsonrpc: '2.0', id: ++this.#last, method, params }
    const sent: Sent = { request, messages: [], ends: [] }
    this.transport.request(request, {
      onMessage: message => void sent.messages.push(message),
      onResponse: response => void sent.ends.push(response),
      onLost: why => void sent.ends.push(why),
    })
    return sent
  }

  call(name: string, args: Params = {}): Sent {
    return this.ask('tools/call', { name, arguments: args, _meta: { progressToken: `p${this.#last}` } })
  }

  async initialize(): Promise<void> {
    const protocolVersion = versions.find(isSessionVersion)
    const clientInfo = { name: 'contract', version: '1' }
    await answerTo(this.ask('initialize', { protocolVersion, capabilities: { elicitation: {} }, clientInfo }))
    this.transport.useVersion?.(protocolVersion)
    this.transport.send(notification('notifications/initialized'))
    this.transport.listen?.()
  }

  /** The first message of a method that came for a request: on its own stream, or on the one that all share. */
  async message({ messages }: Sent, method: string): Promise<ServerMessage> {
    const find = (): ServerMessage | undefined =>
      (this.transport.bound ? messages : this.heard).find(message => message.method === method)
    await eventually(() => find() !== undefined)
    return find() as ServerMessage
  }
}

async function answerTo({ ends }: Sent): Promise<Response> {
  await eventually(() => ends.length > 0)
  const [end] = ends
  if (end instanceof Error) throw end
  return end as Response
}

async function textOf(sent: Sent): Promise<unknown> {
  const answer = await answerTo(sent)
  return 'result' in answer ? (answer.result as { content?: { text: string }[] }).content?.[0]?.text : answer.error
}

function transportCase(
  name: string,
  run: (talk: Talk, release: () => void) => Promise<void>,
): ContractCase<ClientTransportUnderTest> {
  return {
    name,
    run: async ({ connect }) => {
      let release = (): void => {}
      const released = new Promise<void>(resolve => (release = resolve))
      const { transport, stop } = await connect(subject(released))
      try {
        const talk = new Talk(transport)
        await transport.open()
        await talk.initialize()
        await run(talk, release)
      } finally {
        release()
        await transport.close()
        await stop()
      }
    },
  }
}

/** What every transport of a client does, whatever carries the messages. */
export const clientTransportContract: readonly ContractCase<ClientTransportUnderTest>[] = [
  transportCase('gives each request its own answer, once, whatever characters it has', async talk => {
    const texts = ['line\nbreak \u2028 "quotes" \u{1f600}', 'x'.repeat(200_000), ...Array.from({ length: 20 }, String)]
    const calls = texts.map(text => talk.call('echo', { text }))
    deepEqual(
      await Promise.all(calls.map(textOf)),
      texts.map(text => JSON.stringify({ text })),
    )
    await answerTo(talk.ask('ping'))
    ok(calls.every(({ ends }) => ends.length === 1))
  }),
  transportCase('gives an error of the server as an answer', async talk => {
    const answer = await answerTo(talk.ask('no/such/method'))
    equal('error' in answer && answer.error.code, -32601)
  }),
  transportCase('gives what comes before an answer, while other requests are answered', async (talk, release) => {
    const waiting = talk.call('wait')
    await talk.message(waiting, 'notifications/progress')
    const answer = await answerTo(talk.ask('ping'))
    deepEqual('result' in answer && answer.result, {})
    equal(waiting.ends.length, 0)
    release()
    equal(await textOf(waiting), 'released')
  }),
  transportCase('gives questions of the server, on the stream of their request if it is bound', async talk => {
    const asking = talk.call('ask')
    const question = await talk.message(asking, 'elicitation/create')
    ok('id' in question)
    talk.transport.send(success(question.id, { action: 'accept', content: { name: 'Ada' } }))
    ok(String(await textOf(asking)).includes('Ada'))
  }),
  transportCase('gives nothing more for a request that was cancelled', async (talk, release) => {
    const waiting = talk.call('wait')
    await talk.message(waiting, 'notifications/progress')
    const before = waiting.messages.length
    talk.transport.cancel(waiting.request)
    release()
    await answerTo(talk.ask('ping'))
    await answerTo(talk.ask('ping'))
    deepEqual([waiting.messages.length, waiting.ends], [before, []])
  }),
  transportCase('ends what waits when it is closed, once', async (talk, release) => {
    const waiting = [talk.call('wait'), talk.call('wait')]
    await Promise.all(waiting.map(one => talk.message(one, 'notifications/progress')))
    await talk.transport.close()
    release()
    await eventually(() => waiting.every(({ ends }) => ends.length > 0))
    ok(waiting.every(({ ends }) => ends.length === 1 && ends[0] instanceof Error))
    await talk.transport.close()
  }),
]
