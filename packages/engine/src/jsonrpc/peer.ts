import type { Cancellation } from './cancellation.ts'
import { RpcError, fault } from './errors.ts'
import { isObject, notification } from './message.ts'
import type { Id, Message, Params, Response, Result } from './message.ts'

interface Waiting {
  /** The request that asks. */
  readonly cancellation: Cancellation
  resolve(result: Result): void
  reject(error: Error): void
}

/** How one request to the other side is put: where it goes, what ends the wait. */
export interface Question {
  readonly method: string
  readonly params: Params
  readonly send: (message: Message) => void
  readonly cancellation: Cancellation
  readonly timeoutMs: number
}

/** The other side of a connection, as someone to ask: requests of ours that wait for an answer. */
export class Peer {
  readonly #prefix: string
  #last = 0
  #closed: Error | undefined
  readonly #waiting = new Map<Id, Waiting>()

  /** Ids of questions begin with the prefix. */
  constructor(prefix = 'causeway') {
    this.#prefix = prefix
  }

  /** Is a question open? */
  get isWaiting(): boolean {
    return this.#waiting.size > 0
  }

  /** Does that request wait for an answer? */
  isAskedBy(request: Cancellation): boolean {
    for (const { cancellation } of this.#waiting.values()) if (cancellation === request) return true
    return false
  }

  /** Ask, and wait for the answer; giving up tells the other side. */
  request({ method, params, send, cancellation, timeoutMs }: Question): Promise<Result> {
    if (this.#closed) return Promise.reject(this.#closed)
    const id = `${this.#prefix}-${++this.#last}`
    return new Promise<Result>((resolve, reject) => {
      const done = (): void => {
        clearTimeout(late)
        cancellation.signal.removeEventListener('abort', cancelled)
        this.#waiting.delete(id)
      }
      const giveUp = (why: Error): void => {
        done()
        send(notification('notifications/cancelled', { requestId: id, reason: why.message }))
        reject(why)
      }
      const cancelled = (): void => giveUp(cancellation.reason ?? new Error('Cancelled'))
      const late = setTimeout(() => giveUp(fault('timeout', `The client did not answer ${method} in time`)), timeoutMs)
      cancellation.signal.addEventListener('abort', cancelled, { once: true })
      this.#waiting.set(id, { cancellation, resolve: r => (done(), resolve(r)), reject: e => (done(), reject(e)) })
      send({ jsonrpc: '2.0', id, method, params })
    })
  }

  /** Pass a response to the call that waits for it; any other is ignored. */
  settle(response: Response): void {
    const { id } = response
    const waiting = id === null || id === undefined ? undefined : this.#waiting.get(id)
    if (!waiting) return
    if ('error' in response) waiting.reject(refusal(response.error))
    else if (isObject(response.result)) waiting.resolve(response.result)
    else waiting.reject(new RpcError(-32603, 'The client answered with something that is not an object'))
  }

  /** No more responses will come. */
  close(why: Error): void {
    this.#closed ??= why
    for (const { reject } of this.#waiting.values()) reject(why)
  }
}

function refusal(error: unknown): RpcError {
  const { code, message, data } = isObject(error) ? error : {}
  const text = typeof message === 'string' ? message : 'The client answered with an error'
  return new RpcError(typeof code === 'number' ? code : -32603, text, data)
}
