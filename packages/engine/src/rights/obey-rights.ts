import { after } from '../awaitable.ts'
import type { Awaitable, Call, Caller, Policy } from '../call.ts'
import { fault } from '../jsonrpc/errors.ts'
import { cut } from '../jsonrpc/message.ts'
import type { ToolDefinitions } from '../policies/require-scopes.ts'
import type { RightsKind } from './rules.ts'

/** What a call uses, by the name that lists show. */
export interface Used {
  readonly kind: RightsKind
  readonly key: string
}

/**
 * Refuse what the caller may not use. It belongs inside the audit and before all other policies. Lists and look-ups obey
 * by themselves: the caller carries its rights.
 */
export function obeyRights(server: ToolDefinitions): Policy {
  return function obeyRights(call, next) {
    const { rights } = call.caller
    if (!rights) return next(call)
    if (call.through !== undefined && !rights.offers('tools', call.through)) throw refused(call, 'tools', call.through)
    return after(usedBy(call, server), used => {
      if (used && !rights.offers(used.kind, used.key)) throw refused(call, used.kind, used.key)
      return next(call)
    })
  }
}

/** What a call uses, if rights name it. What is completed is looked up, and found only if it may be used. */
export function usedBy({ method, params, caller }: Call, server: ToolDefinitions): Awaitable<Used | undefined> {
  if (method === 'tools/call') return toolOf(String(params.name), caller, server)
  if (method === 'prompts/get') return { kind: 'prompts', key: String(params.name) }
  // Also by methods of extensions that read resources. A caller may end a subscription that it may not begin.
  const reads = typeof params.uri === 'string' && method !== 'resources/unsubscribe'
  return reads ? { kind: 'resources', key: String(params.uri) } : undefined
}

/** A tool may be called by another name than it is listed by; rights name what is listed. */
const toolOf = (name: string, caller: Caller, server: ToolDefinitions): Awaitable<Used> =>
  after(server.definitionOf(name, caller), info => ({
    kind: 'tools',
    key: info === undefined ? name : String(info.name),
  }))

/** Says nothing of whether it exists: only the name that was sent decides. */
function refused({ caller }: Call, kind: RightsKind, key: string): Error {
  const who = caller.principal ? `'${cut(caller.principal.name, 100)}'` : 'A caller without a token'
  const shown = cut(key, 200)
  const what = kind === 'resources' ? `read '${shown}'` : `use the ${kind === 'tools' ? 'tool' : 'prompt'} '${shown}'`
  const hint = 'The lists show what this caller may use; the operator decides that with the key rights.'
  return fault('not-allowed', `${who} may not ${what}`, undefined, { hint, subject: shown })
}
