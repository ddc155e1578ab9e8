import type { Call, Caller, Handle, Implementation, Method } from '../call.ts'
import { fault } from '../jsonrpc/errors.ts'
import type { Params } from '../jsonrpc/message.ts'
import { LISTS } from '../protocol/downgrade.ts'
import { asLogLevel } from '../protocol/client-values.ts'
import { begin } from '../protocol/session.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { ListKind } from '../catalog/changes.ts'
import { complete } from './completion.ts'
import { listPages } from '../catalog/page.ts'
import type { Choose } from '../catalog/page.ts'
import type { Extensions } from './extensions.ts'
import { getPrompt } from './prompts.ts'
import { readResource } from './resources.ts'
import type { Entry, Shelf, ToolEntry } from '../catalog/shelf.ts'
import { listen, subscribe, unsubscribe } from './subscriptions.ts'
import type { ChangeOptions } from './subscriptions.ts'
import { callTool } from './tools.ts'

/** What a server says of itself, and what it offers in addition to its features. */
export interface Profile {
  readonly identity: Implementation
  readonly instructions: (caller: Caller) => string | undefined
  /** The revisions it offers, newest first. */
  readonly versions: readonly string[]
  readonly logging: boolean
  /** Are completions offered where a feature has some? */
  readonly completions: boolean
  /** Are capabilities that are false left out? */
  readonly brief: boolean
  readonly changes: ChangeOptions
  readonly extensions: Extensions
  readonly pageSize: number
  /** Which tools are listed. */
  readonly chooseTools: Choose<ToolEntry>
  readonly cache: { readonly ttlMs: number; readonly cacheScope: 'public' | 'private' }
}

/** Run the method a call names, if there is anything behind it. */
export const dispatch: Handle = call => {
  const { descriptor } = call
  if (descriptor.offered?.() !== false) return descriptor.run(call)
  throw fault('method-not-found', `Method not found: ${call.direct ? String(call.params.name) : call.method}`)
}

/** The protocol's own methods. */
export function coreMethods(catalog: Catalog, profile: Profile): Method[] {
  const { tools, prompts, resources, templates } = catalog
  const { changes, cache, pageSize: size } = profile
  const has = (kind: ListKind) => (): boolean => changes.kinds.has(kind)
  const canSubscribe = (): boolean => changes.subscribe && has('resources')()
  const list = <E extends Entry>(
    name: keyof typeof LISTS,
    shelf: Shelf<E>,
    kind: ListKind,
    choose?: Choose<E>,
  ): Method => ({
    name,
    run: listPages(shelf, { member: LISTS[name], size, cache }, choose),
    offered: has(kind),
    cacheable: true,
  })
  const work = { work: true, asks: true }
  return [
    { name: 'initialize', run: call => initialize(call, catalog, profile) },
    { name: 'server/discover', run: call => discover(call, catalog, profile), cacheable: true },
    { name: 'ping', run: () => ({}) },
    list('tools/list', tools, 'tools', profile.chooseTools),
    list('prompts/list', prompts, 'prompts'),
    list('resources/list', resources, 'resources'),
    list('resources/templates/list', templates, 'resources'),
    { name: 'tools/call', run: callTool(tools), offered: has('tools'), mirror: 'name', ...work },
    { name: 'prompts/get', run: getPrompt(prompts), offered: has('prompts'), mirror: 'name', ...work },
    {
      name: 'resources/read',
      run: readResource(catalog),
      offered: has('resources'),
      mirror: 'uri',
      cacheable: true,
      ...work,
    },
    { name: 'resources/subscribe', run: subscribe(catalog), offered: canSubscribe },
    { name: 'resources/unsubscribe', run: unsubscribe(), offered: canSubscribe },
    {
      name: 'completion/complete',
      run: complete(catalog),
      offered: () => profile.completions && catalog.completes,
      work: true,
    },
    { name: 'logging/setLevel', run: setLevel, offered: () => profile.logging },
    { name: 'subscriptions/listen', run: listen(catalog, changes, profile.extensions) },
  ]
}

function initialize(call: Call, catalog: Catalog, profile: Profile): Params {
  const { caller, link } = call
  if (link.session) begin(link.session, caller)
  return {
    protocolVersion: caller.revision.version,
    capabilities: capabilities(catalog, profile, caller),
    serverInfo: profile.identity,
    ...instructionsOf(profile, caller),
  }
}

const discover = ({ caller }: Call, catalog: Catalog, profile: Profile): Params => ({
  supportedVersions: profile.versions,
  capabilities: capabilities(catalog, profile, caller),
  ...instructionsOf(profile, caller),
  ...profile.cache,
})

function instructionsOf(profile: Profile, caller: Caller): { instructions?: string } {
  const instructions = profile.instructions(caller)
  return instructions === undefined ? {} : { instructions }
}

function capabilities(catalog: Catalog, profile: Profile, caller: Caller): Params {
  const { changes, logging, completions, brief, extensions } = profile
  const { listChanged, subscribe, kinds } = changes
  const stated = (members: Readonly<Record<string, boolean>>): Params =>
    brief ? Object.fromEntries(Object.entries(members).filter(([, isOn]) => isOn)) : members
  return {
    ...(kinds.has('tools') && { tools: stated({ listChanged }) }),
    ...(kinds.has('prompts') && { prompts: stated({ listChanged }) }),
    ...(kinds.has('resources') && { resources: stated({ listChanged, subscribe }) }),
    ...(completions && catalog.completes && { completions: {} }),
    ...(logging && { logging: {} }),
    ...extensions.capabilitiesFor(caller),
  }
}

const setLevel: Handle = ({ params, link }) => {
  const level = asLogLevel(params.level, '"level"')
  if (link.session) link.session.logLevel = level
  return {}
}
