import type { Revision } from '../call.ts'
import { RpcError, fault } from '../jsonrpc/errors.ts'
import { failure, success } from '../jsonrpc/message.ts'
import type { Id, Request, Response, Result } from '../jsonrpc/message.ts'
import type { RequestHandlers, Reply } from './in-flight-request.ts'
import type { ClientTransport } from './transports/transport.ts'

const KNOWN = new Set(['elicitation/create', 'sampling/createMessage', 'roots/list'])
const MOST_OPEN = 1000

/** Who answers a question, and what it is answered on. */
interface Asked {
  readonly transport: ClientTransport
  readonly revision: Revision
  readonly asked: RequestHandlers['onQuestion']
  /** Stops the clock of the request it belongs to, and starts it again. */
  pause(by: 1 | -1): void
}

/** What a server of the stateful era has asked and not been answered. */
export class Questions {
  readonly #open = new Map<Id, () => void>()

  put({ id, method, params = {} }: Request, { transport, revision, asked, pause }: Asked): void {
    if (method === 'ping') return transport.send(success(id, {}))
    if (!KNOWN.has(method) || !asked) {
      return transport.send(failure(id, fault('method-not-found', `Method not found: ${method.slice(0, 100)}`)))
    }
    if (this.#open.size >= MOST_OPEN) return transport.send(failure(id, fault('busy', 'Too many questions are open')))
    let isOpen = true
    const close = (): void => {
      isOpen = false
      this.#open.delete(id)
      pause(-1)
    }
    const reply: Reply = answer => {
      if (!isOpen) return
      close()
      transport.send(written(id, method, answer, revision))
    }
    pause(1)
    const withdrawn = asked({ method, params: revision.readMessage(method, params) }, reply)
    if (!isOpen) return
    this.#open.set(id, () => {
      if (isOpen) close()
      withdrawn?.()
    })
  }

  /** The server does not want the answer any more. */
  withdraw(id: unknown): void {
    this.#open.get(id as Id)?.()
  }

  withdrawAll(): void {
    for (const withdraw of this.#open.values()) withdraw()
  }
}

function written(id: Id, method: string, answer: Result | RpcError, revision: Revision): Response {
  if (answer instanceof RpcError) return failure(id, answer)
  try {
    return success(id, revision.writeAnswer(method, answer))
  } catch (error) {
    return failure(
      id,
      error instanceof RpcError ? error : fault('internal', 'This revision has no words for the answer'),
    )
  }
}
