import { Context, fault } from '@causeway/engine'
import type { Call, Handle, Params, Policy, Result } from '@causeway/engine'
import { isObject } from '@causeway/engine/internal'
import type { GatewayLogins } from './gateway-logins.ts'
import { serverToLogInTo } from './login-need.ts'
import { principalOf } from './principals.ts'

/** What a call carries while its client is asked for a login. */
interface AskedLogin {
  readonly login: string
  readonly mark: string | undefined
  /** The last login that failed before. */
  readonly failure: string | undefined
  /** The call as it was. */
  readonly carried: unknown
  readonly answers: Call['answers']
}

const QUESTION = 'causeway-login'
const WAIT_MS = 5 * 60_000
const MOST_WAITING = 200
const ENDED = { failed: 'The login failed.', late: 'The login was not finished in time.' } as const

/** A call that needs a login asks its client for it, waits, and goes on; a client that cannot be asked gets the link in words. */
export const askForLogins =
  (logins: GatewayLogins): Policy =>
  (call, next) => {
    const asked = askedIn(call.carried)
    if (asked) return resume(logins, call, asked, next)
    const fail = (error: unknown): Promise<Result> => ask(logins, call, error)
    try {
      const result = next(call)
      return result instanceof Promise ? result.catch(fail) : result
    } catch (error) {
      return fail(error)
    }
  }

/** The client was asked: what it did decides. */
async function resume(logins: GatewayLogins, call: Call, asked: AskedLogin, next: Handle): Promise<Result> {
  const { login: server, mark, failure, carried, answers } = asked
  const inner: Call = { ...call, carried, answers }
  const upstream = logins.find(server)
  const principal = principalOf(call, logins.isLocal())
  if (!upstream || principal === undefined) return next(inner)
  const answer = call.answers[QUESTION]
  if (!isObject(answer) || answer.action !== 'accept')
    throw refusal(server, 'The login was declined.', 'Call again to be asked again.')
  const waited = { principal, upstream, mark, failure }
  if (await logins.isNew(waited)) return goOn(inner, next)
  if (logins.waiting >= MOST_WAITING)
    throw refusal(server, 'Too many calls wait for logins.', 'Log in, then call again.')
  const outcome = await withTime(call, WAIT_MS, () =>
    logins.wait(waited, WAIT_MS, leave => call.cancellation.watch(leave)),
  )
  if (outcome !== 'done') throw refusal(server, ENDED[outcome], 'Call again for another link.')
  return goOn(inner, next)
}

/** The login is done: the client hears of it before the call goes on. */
function goOn(call: Call, next: Handle): ReturnType<Handle> {
  call.completed?.(QUESTION)
  return next(call)
}

/** The time that a person takes is not the call's. */
async function withTime<T>({ cancellation }: Call, ms: number, work: () => Promise<T>): Promise<T> {
  const { limit } = cancellation
  const begun = performance.now()
  if (limit) cancellation.limit = { ...limit, ms: limit.ms + ms }
  try {
    return await work()
  } finally {
    if (limit) cancellation.limit = { ...limit, ms: limit.ms + Math.ceil(performance.now() - begun) }
  }
}

async function ask(logins: GatewayLogins, call: Call, error: unknown): Promise<Result> {
  const server = serverToLogInTo(error)
  const upstream = server === undefined ? undefined : logins.find(server)
  if (server === undefined || !upstream) throw error
  const principal = principalOf(call, logins.isLocal())
  if (principal === undefined)
    throw refusal(server, 'This gateway does not know who you are.', 'Its operator has to require tokens for logins.')
  const url = await logins.linkFor(principal, upstream, call.caller.view?.name)
  if (url === undefined) throw refusal(server, '', `Log in with \`causeway login ${server}\`, then call again.`)
  if (!call.descriptor.asks || !new Context(call).supports('elicitation.url'))
    throw refusal(server, '', `Open ${url} in a browser to log in, then call again.`, { url })
  const [mark, failure] = [await upstream.login?.mark(principal), await logins.lastFailure(principal, upstream)]
  return question(url, { login: upstream.name, mark, failure, carried: call.carried, answers: call.answers })
}

function question(url: string, state: AskedLogin): Result {
  const { login: name } = state
  const message = `The server '${name}' needs a login. Open the page to log in; the call goes on when it is done.`
  return {
    resultType: 'input_required',
    inputRequests: { [QUESTION]: { method: 'elicitation/create', params: { mode: 'url', message, url } } },
    requestState: { causewayLogin: state },
  }
}

function askedIn(carried: unknown): AskedLogin | undefined {
  const state = isObject(carried) ? carried.causewayLogin : undefined
  return isObject(state) && typeof state.login === 'string' ? (state as unknown as AskedLogin) : undefined
}

function refusal(server: string, why: string, hint: string, data: Params = {}): Error {
  const words = [`The server '${server}' needs a login.`, why].filter(part => part !== '').join(' ')
  return fault('upstream-unavailable', words, { server, ...data }, { hint })
}
