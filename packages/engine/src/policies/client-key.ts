import type { Principal } from '../auth/principal.ts'
import type { Call } from '../call.ts'
import { sessionOf } from '../protocol/session.ts'

/** What tells one client from another. */
export type ClientMarks = Pick<Call, 'caller'> & {
  readonly link: Pick<Call['link'], 'session' | 'address' | 'transport'>
}

// A string that is built for every call would be hashed for every call, too, and a token gives the same principal to all its calls.
const keys = new WeakMap<Principal, string>()

function principalKey(principal: Principal): string {
  const known = keys.get(principal)
  if (known !== undefined) return known
  const key = `principal:${principal.name}`
  keys.set(principal, key)
  return key
}

/**
 * Whose something is, such as a result or a session with another server: the principal's, else the session's, else the
 * address's. Nothing that one client has is another's. What a principal has at one part of a server is not there at another:
 * a token may be for that part alone.
 */
export function clientKey({ caller, link }: ClientMarks): string {
  const { principal, view } = caller
  if (principal) return view ? `view:${view.name}\n${principalKey(principal)}` : principalKey(principal)
  // Ids of sessions look like no address and no principal.
  return sessionOf({ caller, link })?.id ?? link.address ?? link.session?.id ?? link.transport
}

/** Who is counted as one where each client has a share: the principal, else the network, else the connection. */
export function quotaKey({ caller, link }: ClientMarks): string {
  if (caller.principal) return principalKey(caller.principal)
  // Not the session: an anonymous client can open any number.
  if (link.address !== undefined) return networkOf(link.address)
  // It looks like no address and no principal.
  return link.session?.id ?? link.transport
}

/** Is the client anonymous on the network, of which there can be any number? */
export const isAnonymous = ({ caller, link }: Call): boolean => !caller.principal && link.address !== undefined

/** One customer of a provider usually has a whole /64 of IPv6 addresses. */
export function networkOf(address: string): string {
  // Every anonymous request passes here, and most of them use IPv4.
  if (!address.includes(':')) return address
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (mapped !== undefined) return mapped
  const [head = '', tail] = address.split('::')
  const groups = head === '' ? [] : head.split(':')
  const missing = 8 - groups.length - (tail === undefined || tail === '' ? 0 : tail.split(':').length)
  const all = tail === undefined ? groups : [...groups, ...Array<string>(missing).fill('0'), ...tail.split(':')]
  return all
    .slice(0, 4)
    .map(group => Number.parseInt(group || '0', 16).toString(16))
    .join(':')
}
