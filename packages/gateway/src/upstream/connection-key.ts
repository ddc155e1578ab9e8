import { APPS_CAPABILITY } from '@causeway/engine'
import type { Params } from '@causeway/engine'
import { isObject } from '@causeway/engine/internal'
import { ALL_CAPABILITIES } from '@causeway/engine/client'
import { clientKey } from '@causeway/engine/internal'
import { forwardedCapabilities } from '../calls/forward-link.ts'
import type { ConnectionUser } from './pooled-remote.ts'

/** The key of connections that belong to no client: lists are asked for on them, and changes announced. */
export const NOBODY = ''

/**
 * What connections declare that belong to no client. They declare views, or servers would not list them; what is for clients
 * that show views is shown to those clients alone, here.
 */
export const ANYONES: Params = { ...ALL_CAPABILITIES, extensions: APPS_CAPABILITY }

/** Whose connections to a server that keeps sessions are the same: those of one client that declare the same. */
export function keyFor(user: ConnectionUser, bound: boolean): string {
  const client = clientKey(user)
  const capabilities = capabilitiesFor(user, bound)
  const declared = capabilities === ANYONES || isPlain(capabilities) ? '' : JSON.stringify(capabilities)
  return `${client}\n${declared}`
}

/** The key of connections that carry a principal's login: they are used for that principal alone. */
export const keyWithLogin = (key: string, principal: string | undefined): string =>
  principal === undefined ? key : `${key === NOBODY ? '\n' : key}${JSON.stringify({ login: principal })}`

/** Whose a connection is. JSON has no line breaks, so the last one ends the client. */
export const clientIn = (key: string): string => key.slice(0, Math.max(0, key.lastIndexOf('\n')))

/** What a connection declares. On a stream that all calls share, questions are refused here if their client cannot be asked. */
export function capabilitiesFor(user: ConnectionUser | undefined, bound: boolean): Params {
  const declared = user?.caller.capabilities.extensions
  const others = isObject(declared) && Object.keys(declared).some(id => !Object.hasOwn(APPS_CAPABILITY, id))
  const extensions = others ? { ...declared, ...APPS_CAPABILITY } : APPS_CAPABILITY
  if (bound && user) return { ...forwardedCapabilities(user.caller), extensions }
  return others ? { ...ALL_CAPABILITIES, extensions } : ANYONES
}

/** Does it declare views, as all do, and nothing else? */
const isPlain = (capabilities: Params): boolean =>
  capabilities.extensions === APPS_CAPABILITY && Object.keys(capabilities).length === 1
