import { adopt, after } from '../awaitable.ts'
import type { Awaitable, Call, ClientNotification, Handle, Policy } from '../call.ts'
import type { Feature, Pack } from '../define/define.ts'
import { isObject } from '../jsonrpc/message.ts'
import type { Params, Result } from '../jsonrpc/message.ts'
import { compose } from '../policies/policy.ts'
import type { ExtensionNotification } from './changes.ts'
import type { Entry, Shelf, TemplateEntry, ToolEntry } from './shelf.ts'

/** A named group of shelves: another server, a folder, a database; whatever has features that come and go. */
export interface Source {
  readonly name: string
  /** What a model should know before it uses the features; read whenever a client asks. */
  readonly instructions?: string | undefined
  readonly tools?: Shelf<ToolEntry>
  readonly prompts?: Shelf<Entry>
  readonly resources?: Shelf<Entry>
  readonly templates?: Shelf<TemplateEntry>
  /**
   * Skills, by the URI of their SKILL.md; `info` is the entry of `skills/list`, `run` reads a directory of a dynamic one.
   * Their files are resources of the source, whether these are listed or not.
   */
  readonly skills?: Shelf<Entry>
  /** Policies around every use of what the source offers. */
  readonly use?: readonly Policy[]
  /** Serves `completion/complete` for entries that do not do so themselves; without it, no completion is declared. */
  readonly complete?: Handle | undefined
  /** Is anything of it for clients that show views? Read whenever a client asks. */
  readonly hasApps?: boolean
  /** What it speaks beyond the protocol; united with what others and the server itself do. */
  readonly extensions?: SourceExtensions
}

/** The extensions of a source, such as another server: whatever is passed on to it and from it. */
export interface SourceExtensions {
  /** By id, as declared under `capabilities.extensions`; read whenever a client asks. */
  readonly settings: Readonly<Record<string, Params>>
  /**
   * Runs methods that nothing here knows, for clients that declare one of its extensions. One it does not know either
   * throws an error of the kind `method-not-found`; then the next source is asked.
   */
  run?(call: Call): Awaitable<Result>
  /** Takes notifications of clients that declare one of its extensions. */
  onNotification?(notification: ClientNotification): Awaitable<void>
  /** Hands on notifications for clients, until the returned function is called. */
  listen?(tell: (notification: ExtensionNotification) => void): () => void
}

/** How a pack or a source is mounted. */
export interface MountOptions {
  /** Stands before the names of tools and prompts, aliases included. URIs stay as they are. */
  readonly prefix?: string
  /** Policies around every use of what is mounted, outside its own; they see the names that clients use. */
  readonly use?: readonly Policy[]
}

/** Is it a pack, whose features are given once and for all? */
export const isPack = (mounted: Pack | Source): mounted is Pack => 'features' in mounted

/** Is it a pack or a source, rather than one feature? */
export const isMountable = (added: Feature | Pack | Source): added is Pack | Source =>
  isObject(added) && !('kind' in added) && MEMBERS.some(member => member in added)

const MEMBERS = ['features', 'tools', 'prompts', 'resources', 'templates', 'skills', 'extensions']

/** A source's shelves as a server shows them: names prefixed, policies around every entry. */
export function mounted(source: Source, { prefix = '', use = [] }: MountOptions): Source {
  const { tools, prompts, resources, templates, skills } = source
  const inside = policiesAround(source.use ?? [], use, prefix)
  const plain = policiesAround(source.use ?? [], use, '')
  const fallback = source.complete?.bind(source)
  return {
    name: source.name,
    get instructions() {
      return source.instructions
    },
    get hasApps() {
      return source.hasApps ?? false
    },
    get complete() {
      return source.complete?.bind(source)
    },
    ...(source.extensions && { extensions: mountedExtensions(source.extensions, plain) }),
    ...(tools && { tools: mountedShelf(tools, prefix, { around: inside, fallback: undefined }) }),
    ...(prompts && { prompts: mountedShelf(prompts, prefix, { around: inside, fallback }) }),
    ...(resources && { resources: mountedShelf(resources, '', { around: plain, fallback: undefined }) }),
    ...(templates && { templates: mountedShelf(templates, '', { around: plain, fallback }) }),
    ...(skills && { skills: mountedShelf(skills, '', { around: plain, fallback: undefined }) }),
  }
}

/** The policies stand around methods of extensions, too. */
function mountedExtensions(extensions: SourceExtensions, policies: WrapHandle | undefined): SourceExtensions {
  const run = extensions.run?.bind(extensions)
  return {
    get settings() {
      return extensions.settings
    },
    ...(run && { run: policies ? policies(run) : run }),
    onNotification: notification => extensions.onNotification?.(notification),
    listen: tell => extensions.listen?.(tell) ?? (() => {}),
  }
}

/** Puts policies around a handler. */
export type WrapHandle = (handle: Handle) => Handle

/** The policies of a source see its own names; those of its mount see the prefixed ones. */
export function policiesAround(
  own: readonly Policy[],
  outer: readonly Policy[],
  prefix: string,
): WrapHandle | undefined {
  if (own.length === 0 && outer.length === 0 && prefix === '') return undefined
  return handle => {
    const inner = compose(own, handle)
    return compose(outer, prefix === '' ? inner : call => inner(withoutPrefix(call, prefix)))
  }
}

function withoutPrefix(call: Call, prefix: string): Call {
  const { params } = call
  const strip = (value: unknown): unknown =>
    typeof value === 'string' && value.startsWith(prefix) ? value.slice(prefix.length) : value
  if (call.method !== 'completion/complete') return { ...call, params: { ...params, name: strip(params.name) } }
  const { ref } = params
  return isObject(ref) ? { ...call, params: { ...params, ref: { ...ref, name: strip(ref.name) } } } : call
}

interface Mounting {
  readonly around: WrapHandle | undefined
  /** Completes what does not complete itself. */
  readonly fallback: Handle | undefined
}

function mountedShelf<E extends Entry>(shelf: Shelf<E>, prefix: string, mounting: Mounting): Shelf<E> {
  const entries = new WeakMap<E, E>()
  const lists = new WeakMap<readonly E[], readonly E[]>()
  const one = (entry: E): E => keep(entries, entry, () => mountedEntry(entry, prefix, mounting))
  const many = (list: readonly E[]): readonly E[] => keep(lists, list, () => list.map(one))
  const listen = shelf.listen?.bind(shelf)
  return {
    get shared() {
      return shelf.shared ?? false
    },
    get isOffered() {
      return shelf.isOffered ?? true
    },
    list: caller => after(adopt(shelf.list(caller)), many),
    find: (key, caller) =>
      key.startsWith(prefix)
        ? after(adopt(shelf.find(key.slice(prefix.length), caller)), entry => entry && one(entry))
        : undefined,
    ...(listen && { listen }),
  }
}

function keep<K extends object, V>(kept: WeakMap<K, V>, key: K, make: () => V): V {
  const known = kept.get(key)
  if (known !== undefined) return known
  const made = make()
  kept.set(key, made)
  return made
}

/** An entry under its prefix, with policies around it; members we do not know stay. */
function mountedEntry<E extends Entry>(entry: E, prefix: string, { around, fallback }: Mounting): E {
  const { key, info, aliases, run, complete = fallback } = entry
  return {
    ...entry,
    key: prefix + key,
    info: prefix === '' ? info : { ...info, name: prefix + key },
    ...(aliases && { aliases: aliases.map(alias => prefix + alias) }),
    run: around ? around(run) : run,
    ...(complete && { complete: around ? around(complete) : complete }),
  }
}
