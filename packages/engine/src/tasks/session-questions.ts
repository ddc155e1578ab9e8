import { Cancellation, Cancelled } from '../jsonrpc/cancellation.ts'
import { RpcError } from '../jsonrpc/errors.ts'
import { isObject } from '../jsonrpc/message.ts'
import type { Params } from '../jsonrpc/message.ts'
import { RELATED_TASK } from '../protocol/tasks/kinds.ts'
import type { Ask } from '../wire.ts'
import type { TaskRun } from './task-run.ts'
import { unref } from '../support/unref.ts'

/** How questions reach the session of a task. */
export interface SessionAsking {
  /** How long its client has to come for them. */
  readonly afterMs: number
  /** How long each may stay open. */
  readonly timeoutMs: number
  /** Takes an answer; a refusal is one, too. */
  answer(key: string, answer: unknown): void
}

/** Puts what tasks ask to the sessions they were begun in, where their clients wait for that instead of coming for it. */
export class SessionQuestions {
  readonly #open = new Map<string, Cancellation>()

  /** Put these soon, unless the client comes for them; what is returned withdraws them. */
  put(run: TaskRun, asks: Readonly<Record<string, Ask>>, asking: SessionAsking): () => void {
    const { session } = run.call.link
    if (!run.isAskedFor || !session) return () => {}
    const cancellation = new Cancellation()
    this.#open.set(run.id, cancellation)
    const put = (): void => {
      for (const [key, ask] of Object.entries(asks)) void putOne(run, { key, ask, cancellation }, asking)
    }
    const timer = unref(setTimeout(put, asking.afterMs))
    // It may be aborted before anything was put.
    cancellation.watch(() => clearTimeout(timer))
    return () => {
      this.withdraw(run.id)
    }
  }

  /** The client came for what a task asks, or nothing is asked any more. */
  withdraw(id: string): void {
    this.#open.get(id)?.cancel(new Cancelled('The question is no longer open here'))
    this.#open.delete(id)
  }
}

interface One {
  readonly key: string
  readonly ask: Ask
  readonly cancellation: Cancellation
}

async function putOne(run: TaskRun, { key, ask, cancellation }: One, asking: SessionAsking): Promise<void> {
  const { link, caller } = run.call
  const { session } = link
  if (!session) return
  const { method, params } = ask
  const _meta = { ...(isObject(params._meta) && params._meta), [RELATED_TASK]: { taskId: run.id } }
  try {
    const written: Params = caller.revision.writeMessage(method, { ...params, _meta })
    const send = (message: Parameters<typeof session.send>[0]): void => session.send(message)
    const { timeoutMs } = asking
    const answer = await session.peer.request({ method, params: written, send, cancellation, timeoutMs })
    asking.answer(key, caller.revision.readAnswer(method, answer))
  } catch (error) {
    // What is ours has a kind: the session is over, or the question was withdrawn. The client can still come for it.
    if (error instanceof RpcError && error.kind === undefined) asking.answer(key, error)
  }
}
