import type { ScopeRules, ScopedKind } from '../../auth/scope-rules.ts'
import type { Awaitable, Caller, View } from '../../call.ts'
import { revisions } from '../../protocol/revisions.ts'
import type { Server } from '../../server.ts'
import { within } from '../../support/deadline.ts'
import type { Views } from '../http/view-route.ts'
import { viewNameIn } from '../http/view-route.ts'

/** All scopes that what is behind a path may need. */
export type EndpointScopes = (path: string) => Awaitable<readonly string[]>

interface Needs {
  readonly rules: ScopeRules
  readonly server: Server
  readonly views: Views | undefined
}

const KEPT_MS = 5_000
// A client that has no token yet does not wait for servers that are slow to list what they have.
const LIST_MS = 1_000

/** Everything that is restricted, for the whole server; for a part of it, what its features need. */
export function endpointScopes({ rules, server, views }: Needs): EndpointScopes {
  const kept = new Map<string, { readonly scopes: readonly string[]; readonly until: number }>()
  return path => {
    if (!rules.restricts) return []
    const view = views?.find(viewNameIn(path))
    if (!view) return rules.all
    const known = kept.get(view.name)
    if (known && known.until > performance.now()) return known.scopes
    const all = (): readonly string[] => rules.all
    return within(scopesOf(view, rules, server), LIST_MS, all)
      .catch(all)
      .then(scopes => {
        for (const name of kept.keys()) if (!views?.find(name)) kept.delete(name)
        kept.set(view.name, { scopes, until: performance.now() + KEPT_MS })
        return scopes
      })
  }
}

async function scopesOf(view: View, rules: ScopeRules, server: Server): Promise<readonly string[]> {
  const [revision] = revisions
  if (!revision) return rules.all
  const caller: Caller = { revision, client: undefined, capabilities: {}, view }
  const of = async (kind: ScopedKind, feature: 'tool' | 'prompt' | 'resource', key: string): Promise<string[]> =>
    (await server.listed(feature, caller)).flatMap(info => rules.needed(kind, String(info[key])))
  const found = await Promise.all([
    of('tools', 'tool', 'name'),
    of('prompts', 'prompt', 'name'),
    of('resources', 'resource', 'uri'),
  ])
  // Which resources a family has is not known.
  const families = await server.listed('template', caller)
  return [...new Set([...found.flat(), ...(families.length > 0 ? rules.allOf('resources') : [])])]
}
