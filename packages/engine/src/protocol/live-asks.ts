import type { Ask, Awaitable, Call, Handle } from '../call.ts'
import { RpcError, fault } from '../jsonrpc/errors.ts'
import { notification } from '../jsonrpc/message.ts'
import type { Result } from '../jsonrpc/message.ts'
import { asksOf } from './asks.ts'

const MAX_ROUNDS = 8
const ANSWER_WITHIN_MS = 600_000

type Asks = Readonly<Record<string, Ask>>

/** Stateless revisions: a question is the result, if the client can answer it. */
export function asksAsResults(call: Call, run: Handle): Awaitable<Result> {
  const result = run(call)
  if (!call.descriptor.asks) return result
  return result instanceof Promise ? result.then(r => checked(call, r)) : checked(call, result)
}

function checked({ caller }: Call, result: Result): Result {
  asksOf(result, caller)
  return result
}

/** Stateful revisions: put each question to the client as a request of ours, then run the call again with the answers. */
export function liveAsks(call: Call, run: Handle): Awaitable<Result> {
  const result = run(call)
  if (!call.descriptor.asks) return result
  return result instanceof Promise ? result.then(r => rounds(call, run, r)) : rounds(call, run, result)
}

function rounds(call: Call, run: Handle, result: Result): Awaitable<Result> {
  const asks = asksOf(result, call.caller)
  return asks ? askAgain(call, run, { asks, state: result.requestState }) : result
}

async function askAgain(first: Call, run: Handle, asked: { asks: Asks; state: unknown }): Promise<Result> {
  let call = first
  let { asks, state } = asked
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const { answers, completed } = await putAll(asks, call)
    call = { ...call, ...nextRound(call, answers, state), completed }
    const result = await run(call)
    const more = asksOf(result, call.caller)
    if (!more) return result
    asks = more
    state = result.requestState
  }
  throw fault('internal', `Gave up after asking the client ${MAX_ROUNDS} times`)
}

/** What a handler that is run again starts from: every answer so far, or its own state and the answers to its last questions. */
export const nextRound = (
  earlier: Pick<Call, 'answers'>,
  latest: Readonly<Record<string, unknown>>,
  state: unknown,
): Pick<Call, 'answers' | 'carried'> => ({
  answers: state === undefined ? { ...earlier.answers, ...latest } : latest,
  carried: state,
})

interface Answered {
  readonly answers: Record<string, unknown>
  readonly completed: NonNullable<Call['completed']>
}

async function putAll(asks: Asks, call: Call): Promise<Answered> {
  const { caller, link } = call
  // All are written before any is sent: one that cannot be put in this revision's words leaves no question open.
  const written = Object.entries(asks).map(([key, { method, params }]) => {
    return [key, { method, params: caller.revision.writeMessage(method, params) }] as const
  })
  const ids = new Map(written.map(([key, { params }]) => [key, params.elicitationId]))
  const answered = written.map(async ([key, ask]) => [key, await put(ask, call)] as const)
  return {
    answers: Object.fromEntries(await Promise.all(answered)),
    completed(key) {
      const elicitationId = ids.get(key)
      // Only questions with an address have an id, and only in revisions in which clients hear of their end.
      if (typeof elicitationId === 'string')
        link.send(notification('notifications/elicitation/complete', { elicitationId }))
    },
  }
}

/** A refusal is an answer too: the handler sees it where it asked. */
async function put({ method, params }: Ask, { link, cancellation, caller }: Call): Promise<unknown> {
  const { session, send } = link
  if (!session) throw fault('missing-capability', `This connection has no way to put ${method} to the client`)
  const question = { method, params, send, cancellation, timeoutMs: ANSWER_WITHIN_MS }
  try {
    return caller.revision.readAnswer(method, await session.peer.request(question))
  } catch (error) {
    if (error instanceof RpcError) return error
    throw error
  }
}
