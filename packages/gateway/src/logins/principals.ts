import type { Caller, Link } from '@causeway/engine'

/** Whose logins those are of a gateway that knows only one user: over stdio, or on this machine without tokens. */
export const LOCAL_PRINCIPAL: string = 'default'

/** Whose a call is. */
export interface Asker {
  readonly caller: Pick<Caller, 'principal'>
  readonly link: Pick<Link, 'address'>
}

/** Whose logins a call uses; undefined for an anonymous client on the network, which could be anyone. */
export const principalOf = ({ caller, link }: Asker, isLocal: boolean): string | undefined => {
  if (caller.principal) return loginName(caller.principal.name)
  return isLocal || link.address === undefined ? LOCAL_PRINCIPAL : undefined
}

/** Under which name the logins of a principal are kept: one that is called like the local user is another principal. */
export const loginName = (principal: string): string =>
  principal === LOCAL_PRINCIPAL ? `principal ${principal}` : principal
