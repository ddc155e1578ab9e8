import type { ScopeRules } from '../auth/scope-rules.ts'
import { insufficientScope, missingScopes } from '../auth/scopes.ts'
import { after } from '../awaitable.ts'
import type { Awaitable, Call, Caller, Handle, Policy } from '../call.ts'
import { isObject } from '../jsonrpc/message.ts'
import type { Params, Result } from '../jsonrpc/message.ts'
import { FOR_META } from '../protocol/keys.ts'

/** Knows tools by all their names. */
export interface ToolDefinitions {
  definitionOf(tool: string, caller: Caller): Awaitable<Readonly<Record<string, unknown>> | undefined>
}

/**
 * Refuse calls whose caller lacks scopes that the rules want for what is called, read or completed. It belongs before
 * all other policies. Without authentication, no caller is refused.
 */
export function requireScopes(rules: ScopeRules, server: ToolDefinitions): Policy {
  return (call, next) => {
    const { principal } = call.caller
    if (!principal || !rules.restricts) return begin(call, next, NONE)
    return after(neededFor(call, rules, server), needed => {
      if (missingScopes(principal, needed).length > 0) throw insufficientScope(needed)
      if (needed.length === 0) return begin(call, next, NONE)
      return after(begin({ ...call, scopes: needed }, next, needed), unshared)
    })
  }
}

function begin(call: Call, next: Handle, needed: readonly string[]): Awaitable<Result> {
  const others = call.link.begin?.(needed)
  return others instanceof Promise ? others.then(() => next(call)) : next(call)
}

function neededFor({ method, params, caller }: Call, rules: ScopeRules, server: ToolDefinitions) {
  if (method === 'tools/call') return neededForTool(String(params.name), rules, server, caller)
  if (method === 'prompts/get') return rules.needed('prompts', String(params.name))
  // Also those of extensions that read resources.
  return urisIn(params).length > 0 || isObject(params.ref)
    ? union([
        ...urisIn(params).map(uri => rules.needed('resources', uri)),
        ...(isObject(params.ref) ? [neededForReference(params.ref, rules)] : []),
      ])
    : NONE
}

/** What some may not see is not for caches that several share. */
const unshared = (result: Result): Result =>
  result.cacheScope === 'public' ? { ...result, cacheScope: 'private' } : result

const NONE: readonly string[] = []
const union = (lists: readonly (readonly string[])[]): readonly string[] => [...new Set(lists.flat())]

/** What is read or listened to. */
function urisIn({ uri, notifications }: Params): readonly string[] {
  const listened = isObject(notifications) ? notifications.resourceSubscriptions : undefined
  return [uri, listened].flat().filter(one => typeof one === 'string')
}

/** A tool may be called by another name than it is listed by. */
const neededForTool = (
  name: string,
  rules: ScopeRules,
  server: ToolDefinitions,
  caller: Caller,
): Awaitable<readonly string[]> =>
  after(server.definitionOf(name, caller), info =>
    union([name, ...(info ? namesIn(info) : [])].map(one => rules.needed('tools', one))),
  )

/** The name that a tool is listed by, and the tool that it works for. */
function namesIn({ name, _meta: meta }: Readonly<Record<string, unknown>>): readonly string[] {
  const served = isObject(meta) ? meta[FOR_META] : undefined
  return [String(name), ...(typeof served === 'string' ? [served] : [])]
}

/** What is completed: the argument of a prompt, or of a family of resources. */
function neededForReference({ type, name, uri }: Params, rules: ScopeRules): readonly string[] {
  return type === 'ref/prompt' ? rules.needed('prompts', String(name)) : rules.needed('resources', String(uri))
}
