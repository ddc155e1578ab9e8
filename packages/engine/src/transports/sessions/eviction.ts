import { Refusal } from '../http/exchange.ts'
import type { HttpSession } from './session.ts'
import { isSameOwner } from './principal-counts.ts'
import type { PrincipalCounts, SessionOwner } from './principal-counts.ts'

/**
 * The session silent for longest makes room: of that owner, or else of those who have the most, so that no owner's
 * new sessions cost another one theirs. Looked for only when needed, since to keep an order would cost every request.
 */
export function longestSilent(
  sessions: Iterable<HttpSession>,
  counts: PrincipalCounts,
  owner: SessionOwner | undefined,
): HttpSession | undefined {
  let found: HttpSession | undefined
  let most = 0
  for (const session of sessions) {
    if (session.busy || (owner && !isSameOwner(session.owner, owner))) continue
    const count = counts.of(session.owner)
    if (found && (count < most || (count === most && session.usedAt >= found.usedAt))) continue
    found = session
    most = count
  }
  return found
}

/** The refusal of one session more than there is room for. */
export const tooManySessions = (): Refusal =>
  new Refusal(503, 'Too many sessions. Try again later.', -32004, { 'Retry-After': '10' })

/** The refusal of a message whose process is not known now. */
export const notReachable = (): Refusal =>
  new Refusal(503, 'The process that handles this message cannot be reached. Try again later.', -32004, {
    'Retry-After': '1',
  })
