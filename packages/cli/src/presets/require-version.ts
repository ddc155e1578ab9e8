import { fault } from '@causeway/engine'
import type { Policy } from '@causeway/engine'

/** Refuses a handshake that names no version; the protocol itself lets one leave it out. */
export const requireVersion: Policy = (call, next) => {
  if (call.method === 'initialize' && call.params.protocolVersion === undefined)
    throw fault('invalid-params', 'Invalid params: protocolVersion is required (a string)')
  return next(call)
}
