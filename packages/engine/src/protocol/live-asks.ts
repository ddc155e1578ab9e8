import type { Ask, Awaitable, Call, Handle } from '../call.ts'
import { RpcError, fault } from '../jsonrpc/errors.ts'
import type { Result } from '../jsonrpc/message.ts'

const MAX_ROUNDS = 8
const ANSWER_WITHIN_MS = 600_000

/** Stateful revisions: put each question to the client as a request of ours, then run the call again with the answers. */
export function liveAsks(call: Call, run: Handle): Awaitable<Result> {
  const result = run(call)
  return result instanceof Promise ? result.then(r => rounds(call, run, r)) : rounds(call, run, result)
}

const rounds = (call: Call, run: Handle, result: Result): Awaitable<Result> =>
  result.resultType === 'input_required' ? askAgain(call, run) : result

async function askAgain(first: Call, run: Handle): Promise<Result> {
  let call = first
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const answers = { ...call.answers, ...(await putAll(call)) }
    call = { ...call, asks: {}, answers }
    const result = await run(call)
    if (result.resultType !== 'input_required') return result
  }
  throw fault('internal', `Gave up after asking the client ${MAX_ROUNDS} times`)
}

async function putAll(call: Call): Promise<Record<string, unknown>> {
  const answered = Object.entries(call.asks).map(async ([key, ask]) => [key, await put(ask, call)] as const)
  return Object.fromEntries(await Promise.all(answered))
}

/** A refusal is an answer too: the handler sees it where it asked. */
async function put({ method, params }: Ask, { link, cancellation }: Call): Promise<unknown> {
  const { session, send } = link
  if (!session) throw fault('missing-capability', `This connection has no way to put ${method} to the client`)
  const question = { method, params, send, cancellation, timeoutMs: ANSWER_WITHIN_MS }
  try {
    return await session.peer.request(question)
  } catch (error) {
    if (error instanceof RpcError) return error
    throw error
  }
}
