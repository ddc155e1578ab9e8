import type { Call, Params } from '@causeway/engine'
import type { ParamHeader } from '@causeway/engine/client'
import { askable } from './client-capabilities.ts'
import type { Conversation } from './pooled-connection.ts'

/** How a request is passed on. */
export interface Passing {
  readonly params: Params
  /** May it be sent again although the server may have begun to work on it? */
  readonly repeatable: boolean
  readonly headers?: readonly ParamHeader[] | undefined
}

/** A call as its server gets it, in neutral terms. */
export function outgoing(
  call: Call,
  { params, headers }: Passing,
  { connection }: Conversation,
  timeoutMs: number,
): Parameters<typeof connection.start>[0] {
  const meta = metaOf(call.meta)
  if (connection.revision.traits.handshake) return { method: call.method, params, meta, timeoutMs }
  const carried = call.carried as { upstream?: unknown } | undefined
  const state = carried?.upstream === undefined ? undefined : { requestState: carried.upstream }
  const again = carried || hasAny(call.answers) ? { inputResponses: call.answers, ...state } : undefined
  return {
    method: call.method,
    params: again ? { ...params, ...again } : params,
    meta,
    timeoutMs,
    logLevel: call.logLevel,
    capabilities: askable(call),
    headers,
  }
}

/** The sender's own; the token for progress is another one on each connection. */
function metaOf(meta: Call['meta']): Params | undefined {
  let own: Params | undefined
  for (const key in meta) if (key !== 'progressToken') (own ??= {})[key] = meta[key]
  return own
}

function hasAny(answers: Call['answers']): boolean {
  for (const _ in answers) return true
  return false
}
