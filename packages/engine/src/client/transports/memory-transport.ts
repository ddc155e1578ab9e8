import type { Awaitable, Link } from '../../call.ts'
import { Calls } from '../../jsonrpc/calls.ts'
import { isRequest, isResponse } from '../../jsonrpc/message.ts'
import type { Message, Request, Response } from '../../jsonrpc/message.ts'
import { close, newSession } from '../../protocol/session.ts'
import { Pending } from './pending.ts'
import { IGNORING } from './transport.ts'
import type { RequestSink, ClientTransport } from './transport.ts'

/** Whatever serves messages: a server of this engine. */
export interface Serving {
  handle(message: Message, link: Link): Awaitable<Response | undefined>
}

/** A server in this process: the same messages, copied as a transport would, without one. */
export function memoryTransport(server: Serving, { strict = true }: { strict?: boolean } = {}): ClientTransport {
  const pending = new Pending()
  const ending = new AbortController()
  const copy = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T
  const send = (message: Message): void => {
    const copied = copy(message)
    queueMicrotask(() => pending.take(copied, transport.listener))
  }
  const session = newSession(crypto.randomUUID(), send)
  const link: Link = {
    transport: 'memory',
    session,
    calls: new Calls(),
    strict,
    direct: false,
    signal: ending.signal,
    send,
  }
  const hand = async (message: Message): Promise<void> => {
    const answer = await server.handle(copy(message), link)
    if (answer !== undefined && !isResponse(message) && isRequest(message)) send(answer)
  }
  const transport: ClientTransport = {
    bound: false,
    listener: IGNORING,
    open: async () => {},
    request(request: Request, sink: RequestSink) {
      pending.add(request.id, sink)
      void hand(request)
    },
    cancel: ({ id }) => pending.delete(id),
    send: message => void hand(message),
    async close() {
      ending.abort()
      link.calls.cancelAll('The client closed the connection')
      close(session)
      pending.lose(new Error('The connection was closed'), true)
    },
  }
  return transport
}
