import type { Context } from '@causeway/engine'

/**
 * Whose a command in the background or an edit is: of a session, or of a principal. Undefined where nothing tells one
 * client from another: an HTTP request without a session and a token.
 */
export function clientKey({ session, principal }: Context): string | undefined {
  if (session) return `session ${session.id}`
  return principal ? `principal ${principal.name}` : undefined
}

/** Do something once when the session of a call is over. */
export function whenOver({ session }: Context, work: () => void): void {
  if (session?.signal.aborted) work()
  else session?.signal.addEventListener('abort', work, { once: true })
}
