import type { Params } from '@causeway/engine'
import { ALL_CAPABILITIES } from '@causeway/engine/client'
import { clientKey } from '@causeway/engine/internal'
import { forwardedCapabilities } from '../calls/forward-link.ts'
import type { ConnectionUser } from './pooled-remote.ts'

/** The key of connections that belong to no client: lists are asked for on them, and changes announced. */
export const NOBODY = ''

/** Whose connections to a server that keeps sessions are the same: those of one client that declare the same. */
export function keyFor(user: ConnectionUser, bound: boolean): string {
  const client = clientKey(user)
  const capabilities = capabilitiesFor(user, bound)
  const declared = capabilities === ALL_CAPABILITIES || !hasAny(capabilities) ? '' : JSON.stringify(capabilities)
  return `${client}\n${declared}`
}

/** The key of connections that carry a principal's login: they are used for that principal alone. */
export const keyWithLogin = (key: string, principal: string | undefined): string =>
  principal === undefined ? key : `${key === NOBODY ? '\n' : key}${JSON.stringify({ login: principal })}`

/** Whose a connection is. JSON has no line breaks, so the last one ends the client. */
export const clientIn = (key: string): string => key.slice(0, Math.max(0, key.lastIndexOf('\n')))

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
