import type { Context } from '@causeway/engine'

/** Whose a command in the background or an edit is: of a session, or of whoever was authenticated. */
export const ownerOf = ({ session, principal }: Context): string =>
  session ? `session ${session.id}` : `principal ${principal?.name ?? ''}`

/** Do something once when the session of a call is over. */
export function whenOver({ session }: Context, work: () => void): void {
  if (session?.signal.aborted) work()
  else session?.signal.addEventListener('abort', work, { once: true })
}
