import type { Caller, Link } from '@causeway/engine'

/** Who uses a gateway that knows only one user: over stdio, or on this machine without tokens. No token can have this name. */
export const LOCAL_PRINCIPAL: string = 'local user'

/** Whose a call is. */
export interface Asker {
  readonly caller: Pick<Caller, 'principal'>
  readonly link: Pick<Link, 'address'>
}

/** Whose logins a call uses; undefined for an anonymous client on the network, which could be anyone. */
export const principalOf = ({ caller, link }: Asker, isLocal: boolean): string | undefined =>
  caller.principal?.name ?? (isLocal || link.address === undefined ? LOCAL_PRINCIPAL : undefined)
