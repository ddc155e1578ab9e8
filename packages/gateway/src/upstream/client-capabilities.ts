import type { Call, Params } from '@causeway/engine'
import { canAsk } from '@causeway/engine/client'

/** What a client can be asked for, in neutral terms. */
export function askable({ caller }: Call): Params {
  if (Object.keys(caller.capabilities).length === 0) return NOTHING
  const form = canAsk(caller, 'elicitation')
  const url = canAsk(caller, 'elicitation.url')
  return {
    ...((form || url) && { elicitation: { ...(form && { form: {} }), ...(url && { url: {} }) } }),
    ...(canAsk(caller, 'sampling') && { sampling: canAsk(caller, 'sampling.tools') ? { tools: {} } : {} }),
    ...(canAsk(caller, 'roots') && { roots: {} }),
  }
}

const NOTHING: Params = Object.freeze({})

/** The same for clients that can be asked for the same. */
export const signatureOf = (call: Call): string => {
  const capabilities = askable(call)
  return capabilities === NOTHING ? '' : JSON.stringify(capabilities)
}
