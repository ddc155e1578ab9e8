import type { Introduction } from '../../client/remote.ts'
import type { ClientTransport } from '../../client/transports/transport.ts'
import { RpcError, fault } from '../../jsonrpc/errors.ts'
import { failure, success } from '../../jsonrpc/message.ts'
import type { Id, Request, Response, Result } from '../../jsonrpc/message.ts'
import type { Ask } from '../../wire.ts'
import { checkAsk, isQuestion } from '../asks.ts'
import type { AnswerQuestion, RemoteCall } from './call.ts'
import type { RemoteRequests } from './requests.ts'

const MOST_OPEN = 1000

/** What a server asked while its calls run, and was not answered yet. */
export class RemoteQuestions {
  readonly #transport: ClientTransport
  readonly #who: Introduction
  readonly #requests: RemoteRequests
  readonly #open = new Map<Id, () => void>()

  constructor(transport: ClientTransport, who: Introduction, requests: RemoteRequests) {
    this.#transport = transport
    this.#who = who
    this.#requests = requests
  }

  /** A question becomes one of the call whose stream it came on; on a stream that all share, of the only one that runs. */
  ask({ id, method, params = {} }: Request, bound: RemoteCall | undefined): void {
    if (method === 'ping') return this.#transport.send(success(id, {}))
    const question = { method, params: this.#requests.revision.readMessage(method, params) }
    const refusal = this.#refusalOf(question)
    if (refusal) return this.#transport.send(failure(id, refusal))
    if (!this.#transport.bound) this.#who.onUnboundQuestion?.()
    this.#open.set(id, () => {})
    const answer: AnswerQuestion = given => {
      if (this.#open.delete(id)) this.#transport.send(this.#written(id, method, given))
    }
    const own = bound ?? this.#requests.only
    const call = own?.link ? own : undefined
    const withdraw = call ? call.ask(question, answer) : this.#askAlone(question, answer)
    if (this.#open.has(id)) this.#open.set(id, withdraw)
  }

  /** The server does not want the answer any more. */
  withdraw(id: unknown): void {
    const withdraw = this.#open.get(id as Id)
    this.#open.delete(id as Id)
    withdraw?.()
  }

  withdrawAll(): void {
    for (const id of this.#open.keys()) this.withdraw(id)
  }

  #refusalOf(ask: Ask): RpcError | undefined {
    const { revision } = this.#requests
    const { capabilities } = this.#who
    if (!isQuestion(ask.method)) return fault('method-not-found', `Method not found: ${ask.method.slice(0, 100)}`)
    if (this.#open.size >= MOST_OPEN) return fault('busy', 'Too many questions are open')
    try {
      checkAsk(ask, { revision, capabilities })
      return undefined
    } catch {
      return fault('method-not-found', `The client did not declare that it supports ${ask.method}`)
    }
  }

  /** A question that belongs to no call, or to an unknown one. */
  #askAlone(ask: Ask, answer: AnswerQuestion): () => void {
    const { answer: answerAlone } = this.#who
    if (!answerAlone) {
      const isRunning = this.#requests.linked > 0
      const why = isRunning ? 'several calls are running, and it does not say which of them asks' : 'no call is running'
      answer(fault('busy', `The question reaches no client: ${why}. Try again.`))
      return () => {}
    }
    const withdrawn = new AbortController()
    const requests = this.#requests
    requests.strayQuestions += 1
    const over = (): void => {
      requests.strayQuestions -= 1
      requests.restartClocks()
    }
    new Promise<Result>(resolve => resolve(answerAlone(ask, withdrawn.signal)))
      .then(answer, (error: unknown) => answer(refusalFor(error)))
      .finally(over)
    return () => withdrawn.abort()
  }

  #written(id: Id, method: string, answer: Result | RpcError): Response {
    if (answer instanceof RpcError) return failure(id, answer)
    try {
      return success(id, this.#requests.revision.writeAnswer(method, answer))
    } catch (error) {
      return failure(id, refusalFor(error))
    }
  }
}

/** What a server gets in place of an answer. */
export const refusalFor = (error: unknown): RpcError =>
  error instanceof RpcError ? error : fault('internal', error instanceof Error ? error.message : 'No answer')
