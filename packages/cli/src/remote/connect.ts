import { ConnectionLost, HttpError, LoginRequired, RemoteServer } from '@causeway/engine/client'
import type { RemoteOptions } from '@causeway/engine/client'
import { UsageError } from '../config/usage-error.ts'
import { VERSION } from '../version.ts'
import type { RemoteTarget } from './target.ts'

/** The exit code if a server cannot be reached. */
export const UNREACHABLE = 6
/** The exit code if it requires a login. */
export const LOGIN_REQUIRED = 7

// The server may have written it.
const LONGEST_REASON = 4000

const CLIENT = { name: 'causeway-cli', version: VERSION }

/** Connect as the command line does; a server that cannot be used ends the command with what to do. */
export async function connectTo(remote: RemoteTarget, options: Partial<RemoteOptions>): Promise<RemoteServer> {
  try {
    return await RemoteServer.connect(remote.target, { client: CLIENT, ...options })
  } catch (error) {
    throw unusable(remote, error)
  }
}

/** Why a server cannot be used, and what to do. */
export function unusable({ shown, url }: RemoteTarget, error: unknown): UsageError {
  if (error instanceof UsageError) return error
  const why = (error instanceof Error ? error.message : String(error)).slice(0, LONGEST_REASON)
  if (isLoginRequired(error)) return loginRequired({ shown, ...(url && { url }) }, error, why)
  const hint = url
    ? 'Check the address, and that the server runs.'
    : 'Try the command in a shell; variables that it needs are passed by --pass-env NAME.'
  const said = error instanceof ConnectionLost && !url ? `it ended, or could not be started (${why})` : why
  return new UsageError(`${shown} cannot be used: ${said}. ${hint}`, UNREACHABLE)
}

/** How to log in: with a browser, unless a token was given and refused. */
function loginRequired(
  { url, shown }: Pick<RemoteTarget, 'url' | 'shown'>,
  error: HttpError,
  message: string,
): UsageError {
  // A stored login that cannot be read says what to do.
  if (error.cause instanceof UsageError) return error.cause
  const token = 'send a token with --token-env NAME or --header "Authorization: Bearer …"'
  if (!url || error.cause === undefined)
    return new UsageError(`${shown} requires a login (${message}): ${token}.`, LOGIN_REQUIRED)
  // What is behind ? may be a secret.
  const address = url.search === '' ? url.href : 'URL'
  const why = error.cause instanceof LoginRequired ? '' : ` (${message})`
  return new UsageError(
    `${shown} requires a login${why}. Log in with: causeway login ${address} (or ${token}).`,
    LOGIN_REQUIRED,
  )
}

/** Does the server want to know first who asks? */
const isLoginRequired = (error: unknown): error is HttpError =>
  error instanceof HttpError && (error.status === 401 || error.status === 403)
