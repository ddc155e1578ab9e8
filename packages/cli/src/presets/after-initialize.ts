import { fault } from '@causeway/engine'
import type { Policy } from '@causeway/engine'

/** Serves a session as soon as `initialize` was answered, without waiting for the notification that follows it; nothing before. */
export const afterInitialize: Policy = (call, next) => {
  const hasHandshake = call.caller.revision.methods.has('initialize')
  const isEarly = hasHandshake && call.link.session?.state === 'new'
  if (isEarly && call.method !== 'initialize' && call.method !== 'ping') {
    throw fault('not-initialised', 'Server not initialized. Send an initialize request first.')
  }
  return next(call)
}
