import type { Call, Handle, Implementation } from '../call.ts'
import { fault } from '../jsonrpc/errors.ts'
import type { Params } from '../jsonrpc/message.ts'
import { asLogLevel } from '../protocol/model.ts'
import { begin } from '../protocol/session.ts'
import type { Catalog } from './catalog.ts'
import type { ListKind } from './changes.ts'
import { canComplete, complete } from './completion.ts'
import { listPages } from './page.ts'
import { getPrompt } from './prompts.ts'
import { readResource } from './resources.ts'
import { listen, subscribe, unsubscribe } from './subscriptions.ts'
import type { Telling } from './subscriptions.ts'
import { callTool } from './tools.ts'

/** What a server says of itself, and what it offers besides its features. */
export interface Profile {
  readonly identity: Implementation
  readonly instructions: () => string | undefined
  /** The revisions it offers, newest first. */
  readonly versions: readonly string[]
  readonly logging: boolean
  readonly telling: Telling
  readonly pageSize: number
  readonly cache: { readonly ttlMs: number; readonly cacheScope: 'public' | 'private' }
}

interface Method {
  readonly run: Handle
  /** Offered only if the server has something of the kind. */
  readonly offered?: () => boolean
}

/** The table of methods, folded into one handler. */
export function dispatch(catalog: Catalog, profile: Profile): Handle {
  const methods = methodTable(catalog, profile)
  return call => {
    const method = methods.get(call.method)
    if (!method || method.offered?.() === false) throw fault('method-not-found', `Method not found: ${call.method}`)
    return method.run(call)
  }
}

function methodTable(catalog: Catalog, profile: Profile): ReadonlyMap<string, Method> {
  const { tools, prompts, resources, templates } = catalog
  const { telling, cache, pageSize: size } = profile
  const has = (kind: ListKind) => (): boolean => telling.kinds.has(kind)
  const canSubscribe = (): boolean => telling.subscribe && has('resources')()
  const page = (member: string): { member: string; size: number; cache: Profile['cache'] } => ({ member, size, cache })
  return new Map<string, Method>([
    ['initialize', { run: call => initialize(call, catalog, profile) }],
    ['server/discover', { run: () => discover(catalog, profile) }],
    ['ping', { run: () => ({}) }],
    ['tools/list', { run: listPages(tools, page('tools')), offered: has('tools') }],
    ['tools/call', { run: callTool(tools), offered: has('tools') }],
    ['prompts/list', { run: listPages(prompts, page('prompts')), offered: has('prompts') }],
    ['prompts/get', { run: getPrompt(prompts), offered: has('prompts') }],
    ['resources/list', { run: listPages(resources, page('resources')), offered: has('resources') }],
    ['resources/templates/list', { run: listPages(templates, page('resourceTemplates')), offered: has('resources') }],
    ['resources/read', { run: readResource(catalog), offered: has('resources') }],
    ['resources/subscribe', { run: subscribe(catalog), offered: canSubscribe }],
    ['resources/unsubscribe', { run: unsubscribe(), offered: canSubscribe }],
    ['completion/complete', { run: complete(catalog), offered: () => canComplete(catalog) }],
    ['logging/setLevel', { run: setLevel, offered: () => profile.logging }],
    ['subscriptions/listen', { run: listen(catalog, telling) }],
  ])
}

function initialize(call: Call, catalog: Catalog, profile: Profile): Params {
  const { caller, link } = call
  if (link.session) begin(link.session, caller)
  return {
    protocolVersion: caller.revision.version,
    capabilities: capabilities(catalog, profile),
    serverInfo: profile.identity,
    ...instructionsOf(profile),
  }
}

const discover = (catalog: Catalog, profile: Profile): Params => ({
  supportedVersions: profile.versions,
  capabilities: capabilities(catalog, profile),
  ...instructionsOf(profile),
  ...profile.cache,
})

function instructionsOf(profile: Profile): { instructions?: string } {
  const instructions = profile.instructions()
  return instructions === undefined ? {} : { instructions }
}

function capabilities(catalog: Catalog, { telling, logging }: Profile): Params {
  const { listChanged, subscribe, kinds } = telling
  return {
    ...(kinds.has('tools') && { tools: { listChanged } }),
    ...(kinds.has('prompts') && { prompts: { listChanged } }),
    ...(kinds.has('resources') && { resources: { listChanged, subscribe } }),
    ...(canComplete(catalog) && { completions: {} }),
    ...(logging && { logging: {} }),
  }
}

const setLevel: Handle = ({ params, link }) => {
  const level = asLogLevel(params.level, '"level"')
  if (link.session) link.session.logLevel = level
  return {}
}
