import type { Call } from '../call.ts'
import type { Rights } from './grant.ts'

/** The call, with what its caller may use: looked up for every call, so that a change holds at once. */
export function withRights(call: Call, rights: Rights): Call {
  const grant = rights.of(call.caller.principal)
  return grant ? { ...call, caller: { ...call.caller, rights: grant } } : call
}
