import type { Params } from '@causeway/engine'
import { ALL_CAPABILITIES } from '@causeway/engine/client'
import { forwardedCapabilities } from '../calls/forward-link.ts'
import type { ConnectionUser } from './pooled-remote.ts'

const PRINCIPAL = 'p:'

/** Whose connections to a server that keeps sessions are the same: those of one principal that declare the same. */
export function keyFor(user: ConnectionUser, bound: boolean): string {
  const { principal } = user.link
  const name = principal === undefined ? '' : `${PRINCIPAL}${principal.name}`
  const capabilities = capabilitiesFor(user, bound)
  const declared = capabilities === ALL_CAPABILITIES || !hasAny(capabilities) ? '' : JSON.stringify(capabilities)
  return bound || declared !== '' ? `${name}|${declared}` : name
}

/** Does a connection belong to one principal? */
export const isPersonal = (key: string): boolean => key.startsWith(PRINCIPAL)

/** What a connection declares. On a stream that all calls share, questions are refused here if their client cannot be asked. */
export function capabilitiesFor(user: ConnectionUser | undefined, bound: boolean): Params {
  if (bound && user) return forwardedCapabilities(user.caller)
  const extensions = user?.caller.capabilities.extensions
  return extensions === undefined ? ALL_CAPABILITIES : { ...ALL_CAPABILITIES, extensions }
}

function hasAny(value: object): boolean {
  for (const _ in value) return true
  return false
}
