import type { Readable } from 'node:stream'
import { OAuthError, oauthAuthorizer } from '@causeway/engine/client'
import type { ClientKey, LoginStatus, OAuthAuthorizer, PendingLogin, StoredTokens } from '@causeway/engine/client'
import { UsageError } from '../config/usage-error.ts'
import { LOGIN_REQUIRED, UNREACHABLE } from '../remote/connect.ts'
import { isRandomRedirect, listenForCallback } from './callback-listener.ts'
import type { CallbackAnswer, CallbackListener } from './callback-listener.ts'
import type { LoginClient, LoginTarget } from './login-target.ts'
import { pastedAddress } from './pasted-address.ts'
import type { SealedCredentials } from './sealed-credentials.ts'

/** A login of one principal to one server. */
export interface LoginRun {
  readonly target: LoginTarget
  readonly credentials: SealedCredentials
  readonly principal: string
  /** What the person says about the login, over what the entry says. */
  readonly client: LoginClient
  /** Where the browser comes back to; default: a random port of this machine. */
  readonly redirectUri: URL | undefined
  readonly timeoutMs: number
  /** Aborts if the person gives up. */
  readonly signal: AbortSignal
  /** Where the final address can be pasted. */
  readonly input: Readable
  /** Shows the link, and opens it if possible. */
  readonly show: (url: string) => void
  /** Says something to the person. */
  readonly say: (words: string) => void
}

/** Log in with the browser of a person, on this machine or elsewhere. */
export async function runLogin(run: LoginRun): Promise<LoginStatus> {
  const { target, credentials, principal } = run
  const key = { kind: 'tokens', principal, server: target.url } as const
  const before = await credentials.get(key)
  const listener = await listenForCallback(run.redirectUri)
  try {
    const authorizer = authorizerOf(run, listener.redirectUri)
    const pending = await authorizer.beginLogin()
    await finish(run, { authorizer, pending, listener })
    if (before && before.redirectUri !== listener.redirectUri) await forgetRegistration(credentials, before)
    const status = await authorizer.status()
    if (!status) throw new Error('The login was not stored')
    return status
  } catch (error) {
    throw loginError(target, error)
  } finally {
    await listener.close()
  }
}

/** A registration for a random port belongs to one login, and is of no use after it. */
export async function forgetRegistration(credentials: SealedCredentials, tokens: StoredTokens): Promise<void> {
  const { issuer, redirectUri } = tokens
  if (redirectUri !== undefined && isRandomRedirect(redirectUri))
    await credentials.delete({ kind: 'client', issuer, redirectUri })
}

const authorizerOf = ({ target, credentials, principal, client, timeoutMs }: LoginRun, redirectUri: string) =>
  oauthAuthorizer({
    url: target.url,
    grant: { type: 'authorization_code', redirectUri },
    store: credentials,
    principal,
    loginTimeoutMs: timeoutMs,
    ...target.client,
    ...client,
  })

interface Begun {
  readonly authorizer: OAuthAuthorizer
  readonly pending: PendingLogin
  readonly listener: CallbackListener
}

async function finish(run: LoginRun, { authorizer, pending, listener }: Begun): Promise<void> {
  const { target, credentials, client } = run
  const { redirectUri, source } = pending
  const key: ClientKey = { kind: 'client', issuer: source.metadata.issuer, redirectUri }
  let answer: CallbackAnswer | undefined
  try {
    answer = await answerTo(run, pending, listener)
    await authorizer.finishLogin(pending, answer.url)
    // A process that refreshes the tokens later finds the client here.
    const { clientId, clientSecret } = { ...target.client, ...client }
    if (clientId !== undefined)
      await credentials.set(key, { clientId, ...(clientSecret !== undefined && { clientSecret }) })
    answer.reply(true)
  } catch (error) {
    answer?.reply(false)
    if (isRandomRedirect(redirectUri)) await credentials.delete(key)
    throw error
  }
}

/** The answer of the authorization server, from a browser on this machine or pasted. */
async function answerTo(
  run: LoginRun,
  { url, state }: PendingLogin,
  listener: CallbackListener,
): Promise<CallbackAnswer> {
  const ending = new AbortController()
  const { signal } = ending
  const arrived = listener.answer(state)
  const pasted = pastedAddress(run.input, {
    isAnswer: ({ searchParams }) => searchParams.get('state') === state,
    onOther: () => run.say('That is not the address that this login leads to. Copy all of it from the address bar.'),
    signal,
  })
  run.show(url)
  try {
    return await Promise.race([
      arrived,
      pasted.then(address => ({ url: address, reply: () => {} })),
      failsAfter(run, signal),
    ])
  } finally {
    ending.abort()
  }
}

/** Rejects when the time is over, or the person gives up. */
function failsAfter({ target, timeoutMs, signal: stopped }: LoginRun, signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const timer = setTimeout(() => {
      reject(new UsageError(`The login to ${target.shown} was not completed in time. Try again.`, LOGIN_REQUIRED))
    }, timeoutMs)
    const cancel = (): void => reject(new UsageError('Cancelled.', CANCELLED))
    stopped.addEventListener('abort', cancel, { once: true })
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      stopped.removeEventListener('abort', cancel)
    })
  })
}

// As shells have it for Ctrl-C.
const CANCELLED = 130
const AWAY = ['unreachable', 'timeout']

function loginError({ shown }: LoginTarget, error: unknown): unknown {
  if (!(error instanceof OAuthError)) return error
  const failed = `The login to ${shown} failed: ${error.message.replace(/^The login failed: /, '')}.`
  return AWAY.includes(error.code)
    ? new UsageError(`${failed} Check the address.`, UNREACHABLE)
    : new UsageError(`${failed} ${adviceFor(error)}`, LOGIN_REQUIRED)
}

function adviceFor({ code }: OAuthError): string {
  if (code === 'no_client' || code === 'registration_failed')
    return 'Register a client at the authorization server, and use --client-id ID. If the server has tokens of its own, no login is needed: use --token-env NAME.'
  if (code === 'access_denied') return 'Try again, and agree.'
  return 'Try again; if it fails again, ask the operator of the server.'
}
