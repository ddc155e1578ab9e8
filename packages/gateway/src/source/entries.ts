import { fault, uriTemplate } from '@causeway/engine'
import type { Awaitable, Call, Entry, Handle, Info, Params, Result, TemplateEntry, ToolEntry } from '@causeway/engine'
import { isObject } from '@causeway/engine/internal'
import type { Forwarding } from '../calls/forward-link.ts'
import { isOffered } from '../config/read-servers.ts'
import type { Held } from '../trust/lock/judge.ts'
import type { UpstreamConfig } from '../config/upstream-config.ts'
import { appTool } from './app-definitions.ts'
import type { CleanDefinitions } from './clean-definitions.ts'
import { hintFor } from './fetch-lists.ts'
import type { Lists } from './fetch-lists.ts'
import type { NamedKind } from './qualified-names.ts'
import { bareName, qualifiedName } from './qualified-names.ts'
import { schemeOf } from './uri-ownership.ts'
import { isViewUri, originalUri, viewUri } from './view-uris.ts'
import type { UriRules } from './uri-ownership.ts'

/** What entries need of the upstream they belong to. */
export interface EntryOwner {
  readonly config: UpstreamConfig
  readonly definitions: CleanDefinitions
  readonly uris: UriRules
  readonly complete?: Handle | undefined
  readonly forwarder: { forward(call: Call, forwarding: Forwarding): Awaitable<Result> }
  /** Can calls of its tools be tasks of the gateway? */
  readonly runsTasks: boolean
  /** Why a feature may not be used, if so. */
  heldBack(kind: Held['kind'], name: string): Error | undefined
  /** Does another server have that name? Then it is the other's alone. */
  isTaken(kind: NamedKind, name: string): boolean
  readonly skills: {
    /** The file of a skill of this server, by the URI it has here. */
    file(uri: string): Entry | undefined
    /** What a URI of this server is here; undefined where another one has that URI for a skill. */
    shownUri(uri: string): string | undefined
    /** Is the URI in a skill of another server, or in one of ours? */
    isElsewhere(uri: string): boolean
  }
  /** Why the operator does not offer a tool, by the name clients would use, if so. */
  leftOut(name: string, definition: Params): string | undefined
}

/** An entry with the name that the server has for it. */
export interface Named {
  readonly original: string
  /** Why it is not offered, if so. */
  readonly held: Error | undefined
}

/** The features of a server under the names the gateway gives them. */
export interface Entries {
  readonly tools: readonly (ToolEntry & Named)[]
  readonly prompts: readonly (Entry & Named)[]
  readonly resources: readonly (Entry & Named)[]
  readonly templates: readonly TemplateEntry[]
}

// A URI that is listed nowhere is compared with all of them.
const MOST_TEMPLATES = 200

/** Entries for what a server lists. */
export function entriesOf(lists: Lists, owner: EntryOwner): Entries {
  const { config } = owner
  const templates = lists.templates
    .slice(0, MOST_TEMPLATES)
    .filter(
      ({ uriTemplate: name }) => owner.uris.mayBeOffered(String(name)) && !owner.heldBack('template', String(name)),
    )
  const kept = <E extends Entry>(entry: E, member: string): E => ({ ...entry, cache: hintFor(lists, member) })
  return {
    tools: lists.tools
      .filter(({ name }) => isOffered(config, String(name)) && !owner.isTaken('tool', String(name)))
      .map(tool => kept(toolEntry(tool, owner), 'tools')),
    prompts: lists.prompts
      .filter(({ name }) => !owner.isTaken('prompt', String(name)))
      .map(prompt => kept(promptEntry(prompt, owner), 'prompts')),
    resources: lists.resources
      .filter(({ uri }) => owner.uris.mayBeOffered(String(uri)))
      .flatMap(info => listedResource(info, owner) ?? [])
      .map(resource => kept(resource, 'resources')),
    templates: templates.map(template => kept(templateEntry(template, owner), 'resourceTemplates')),
  }
}

/** An entry that reads one resource. */
export const resourceEntry = (uri: string, info: Info, owner: EntryOwner): Entry => ({
  key: uri,
  info,
  run: readBy(owner),
  ...forApps(uri),
})

/** A file of a skill is listed under the URI that it has here, and read as its skill lists it. */
function listedResource(definition: Params, owner: EntryOwner): (Entry & Named) | undefined {
  const original = String(definition.uri)
  const shown = owner.skills.shownUri(original)
  if (shown === undefined) return undefined
  const held = owner.heldBack('resource', original)
  const { info } = owner.definitions.of(definition)
  const key = uriHere(shown, owner)
  const entry = owner.skills.file(shown) ?? resourceEntry(key, info, owner)
  return {
    ...entry,
    info: key === original ? info : { ...info, uri: key },
    original,
    held,
    ...(held && { run: refuse(held) }),
  }
}

function toolEntry(definition: Params, owner: EntryOwner): ToolEntry & Named {
  const original = String(definition.name)
  const task = taskSupport(definition)
  const { rename, describe } = owner.config
  const key = nameFor(rename[original] ?? original, owner)
  const description = describe[original]
  const { info: clean, headers } = owner.definitions.of(definition)
  const named: Info = {
    ...clean,
    name: key,
    ...(description !== undefined && { description }),
    ...(owner.runsTasks && task !== 'forbidden' && { execution: { taskSupport: 'optional' } }),
  }
  const app = appTool(named, owner.config.name)
  const hints = (definition.annotations ?? {}) as Params
  const repeatable = hints.readOnlyHint === true || hints.idempotentHint === true
  const run: Handle = call => {
    const { arguments: args } = call.params
    const params: Params = args === undefined ? { name: original } : { name: original, arguments: args }
    return owner.forwarder.forward(call, {
      params,
      repeatable,
      headers,
      ...(task !== 'forbidden' && task !== undefined && { task }),
    })
  }
  const held = owner.heldBack('tool', original) ?? leftOut(key, definition, owner)
  return { key, ...app, original, held, run: held ? refuse(held) : run, ...(headers && { headers }) }
}

/** What a server says of a tool; one that says nothing leaves it to us. */
function taskSupport({ execution }: Params): 'optional' | 'required' | 'forbidden' | undefined {
  const said = typeof execution === 'object' && execution !== null ? (execution as Params).taskSupport : undefined
  return said === 'optional' || said === 'required' || said === 'forbidden' ? said : undefined
}

function leftOut(key: string, definition: Params, owner: EntryOwner): Error | undefined {
  const hint = owner.leftOut(key, definition)
  return hint === undefined
    ? undefined
    : fault('unknown-tool', `Unknown tool: ${key}. ${hint}`, undefined, { subject: key, hint })
}

function promptEntry(definition: Params, owner: EntryOwner): Entry & Named {
  const original = String(definition.name)
  const key = nameFor(original, owner)
  const held = owner.heldBack('prompt', original)
  const run: Handle = call =>
    owner.forwarder.forward(call, { params: { ...withoutMeta(call.params), name: original }, repeatable: true })
  const info = { ...owner.definitions.of(definition).info, name: key }
  return {
    key,
    info,
    original,
    held,
    run: held ? refuse(held) : run,
    ...(held ? { complete: refuse(held) } : completing(owner)),
  }
}

function templateEntry(definition: Params, owner: EntryOwner): TemplateEntry {
  const { info: written } = owner.definitions.of(definition)
  const original = String(written.uriTemplate)
  const key = uriHere(original, owner)
  const info = key === original ? written : { ...written, uriTemplate: key }
  const run = readBy(owner)
  // A server knows its templates by other URIs than these, so it cannot complete them.
  const more = isViewUri(key) ? forApps(key) : completing(owner)
  try {
    const pattern = uriTemplate(key)
    // One that begins with a variable would take the URIs of all others.
    const matches = (uri: string): boolean =>
      schemeOf(key) !== undefined && pattern.match(uri) !== undefined && owner.uris.mayAnswer(uri, owner.config.name)
    return { key, info, matches, run, ...more }
  } catch {
    // What cannot be expanded is listed, but no URI belongs to it.
    return { key, info, matches: () => false, run, ...forApps(key) }
  }
}

const completing = ({ complete }: EntryOwner): { complete?: Handle } => (complete ? { complete } : {})

const forApps = (uri: string): { withoutApps?: null } => (isViewUri(uri) ? { withoutApps: null } : {})

const uriHere = (uri: string, { config: { name } }: EntryOwner): string => (isViewUri(uri) ? viewUri(name, uri) : uri)

const readBy =
  (owner: EntryOwner): Handle =>
  call => {
    const uri = String(call.params.uri)
    const original = originalUri(uri, owner.config.name)
    const read = owner.forwarder.forward(call, { params: { uri: original }, repeatable: true })
    if (original === uri) return read
    return read instanceof Promise
      ? read.then(result => labelled(result, original, uri))
      : labelled(read, original, uri)
  }

/** Contents under the URI that they were read by. */
function labelled(result: Result, original: string, uri: string): Result {
  if (!Array.isArray(result.contents)) return result
  const contents = result.contents.map((one: unknown) =>
    isObject(one) && one.uri === original ? { ...one, uri } : one,
  )
  return { ...result, contents }
}

const nameFor = (name: string, { config: { prefix } }: EntryOwner): string =>
  prefix === false ? bareName(name) : qualifiedName(prefix, name)

const refuse =
  (why: Error): Handle =>
  () => {
    throw why
  }

/** Parameters without `_meta`, which is forwarded by itself. */
export function withoutMeta({ _meta, ...params }: Params): Params {
  return params
}
