import type { Params } from '@causeway/engine'
import { isObject } from '@causeway/engine/internal'
import type { UpstreamConfig } from '../../config/upstream-config.ts'
import type { Lists } from '../../source/fetch-lists.ts'
import { kindOf } from '../../upstream/target-kinds.ts'
import { compare } from './compare.ts'
import type { ChangeClass } from './compare.ts'
import { fingerprint, hashOf } from './fingerprint.ts'

/** What was approved of one server. */
export interface LockedUpstream {
  readonly command?: readonly string[]
  readonly url?: string
  /** Names of the variables it gets. */
  readonly env?: readonly string[]
  readonly server?: { readonly name: string; readonly version: string }
  readonly speaks: string
  readonly instructions?: string
  /** Hash, shape and hints by name. */
  readonly tools: Readonly<Record<string, readonly [hash: string, shape: string, hints: string]>>
  readonly prompts: Readonly<Record<string, string>>
  readonly templates: Readonly<Record<string, string>>
}

/** What was approved, by server. */
export type Lock = Readonly<Record<string, LockedUpstream>>

/** One feature that is not what was approved. */
export interface Held {
  readonly kind: 'tool' | 'prompt' | 'template' | 'server'
  readonly name: string
  readonly change: ChangeClass | 'renamed'
  readonly details: readonly string[]
}

const VERSION = 1

/** A file that is no lock. */
export class MalformedLock extends Error {
  override readonly name = 'MalformedLock'
}

/** The lock in a file's text. */
export function parseLock(text: string): Lock {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new MalformedLock(`it is not JSON: ${(error as Error).message}`)
  }
  if (!isObject(value) || value.lockfileVersion !== VERSION || !isObject(value.upstreams)) {
    throw new MalformedLock(`it needs "lockfileVersion": ${VERSION} and "upstreams"`)
  }
  for (const [name, entry] of Object.entries(value.upstreams)) {
    if (!isObject(entry) || !isObject(entry.tools))
      throw new MalformedLock(`the server '${name.slice(0, 100)}' has no "tools"`)
  }
  return value.upstreams as Lock
}

/** The file's text: a line a feature, in one order, so that a change of one is a change of one line. */
export function formatLock(lock: Lock): string {
  const servers = sorted(lock).map(([name, entry]) => {
    const members = sorted(entry as unknown as Record<string, unknown>).map(([key, value]) => {
      if (!['tools', 'prompts', 'templates'].includes(key))
        return `      ${JSON.stringify(key)}: ${JSON.stringify(value)}`
      const features = sorted(value as Record<string, unknown>)
      if (features.length === 0) return `      ${JSON.stringify(key)}: {}`
      const lines = features.map(([feature, print]) => `        ${JSON.stringify(feature)}: ${JSON.stringify(print)}`)
      return `      ${JSON.stringify(key)}: {\n${lines.join(',\n')}\n      }`
    })
    return `    ${JSON.stringify(name)}: {\n${members.join(',\n')}\n    }`
  })
  const body = servers.length === 0 ? '{}' : `{\n${servers.join(',\n')}\n  }`
  return `{\n  "lockfileVersion": ${VERSION},\n  "upstreams": ${body}\n}\n`
}

const sorted = <T>(map: Readonly<Record<string, T>>): [string, T][] =>
  Object.entries(map).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))

/** What the lock says of a server as it is now. */
export function lockedFrom({ target }: UpstreamConfig, lists: Lists): LockedUpstream {
  const printed = (items: readonly Params[], key: string): Record<string, string> =>
    Object.fromEntries(items.map(item => [String(item[key]), hashOf(item)]))
  return {
    ...kindOf(target).locked(target),
    ...(lists.server && { server: lists.server }),
    speaks: lists.speaks,
    ...(lists.instructions !== undefined && { instructions: hashOf(lists.instructions) }),
    tools: Object.fromEntries(
      lists.tools.map(tool => {
        const { hash, shape, hints } = fingerprint(tool)
        return [String(tool.name), [hash, shape, hints] as const]
      }),
    ),
    prompts: printed(lists.prompts, 'name'),
    templates: printed(lists.templates, 'uriTemplate'),
  }
}

/** What of a server is not as it was approved; `before` are the definitions as they were, as far as they are known. */
export function judge(locked: LockedUpstream | undefined, lists: Lists, before: readonly Params[] = []): Held[] {
  if (!locked) return [{ kind: 'server', name: '', change: 'new', details: ['the server is not in the lock'] }]
  const known = new Map(before.map(tool => [tool.name, tool]))
  const held = lists.tools.flatMap(tool => judgeTool(tool, locked, known.get(tool.name)))
  return [
    ...renamed(held, locked, lists),
    ...others('prompt', locked.prompts, lists.prompts, 'name'),
    ...others('template', locked.templates, lists.templates, 'uriTemplate'),
    ...(locked.instructions !== undefined &&
    lists.instructions !== undefined &&
    locked.instructions !== hashOf(lists.instructions)
      ? [{ kind: 'server', name: '', change: 'words', details: ['its instructions changed'] } as const]
      : []),
  ]
}

function judgeTool(tool: Params, locked: LockedUpstream, before: Params | undefined): Held[] {
  const name = String(tool.name)
  const print = Object.hasOwn(locked.tools, name) ? locked.tools[name] : undefined
  if (!print) return [{ kind: 'tool', name, change: 'new', details: ['it is not in the lock'] }]
  const { hash, shape, hints } = fingerprint(tool)
  if (hash === print[0]) return []
  // The definition that was approved may be at hand; its fingerprint says whether it is that one.
  if (before && fingerprint(before).hash === print[0]) return [{ kind: 'tool', name, ...compare(before, tool) }]
  if (shape !== print[1]) return [{ kind: 'tool', name, change: 'breaking', details: ['its schemas changed'] }]
  if (hints !== print[2]) return [{ kind: 'tool', name, change: 'riskier', details: ['what it promises changed'] }]
  return [{ kind: 'tool', name, change: 'words', details: ['its texts changed'] }]
}

/** A tool that is new and shaped like one that is gone is that one under another name. */
function renamed(held: readonly Held[], locked: LockedUpstream, lists: Lists): Held[] {
  const names = new Set(lists.tools.map(({ name }) => name))
  const gone = Object.entries(locked.tools).filter(([name]) => !names.has(name))
  const lost = new Map(gone)
  const changed = held.map(one => {
    if (one.change !== 'new') return one
    const { shape } = fingerprint(lists.tools.find(({ name }) => name === one.name) ?? {})
    const old = [...lost].find(([, print]) => print[1] === shape)?.[0]
    if (old === undefined) return one
    lost.delete(old)
    return { ...one, change: 'renamed', details: [`it was '${old}'`] } as const
  })
  return [
    ...changed,
    ...[...lost.keys()].map(name => ({ kind: 'tool', name, change: 'gone', details: ['it is gone'] }) as const),
  ]
}

function others(
  kind: 'prompt' | 'template',
  prints: Readonly<Record<string, string>> = {},
  items: readonly Params[],
  key: string,
): Held[] {
  return items.flatMap((item): Held[] => {
    const name = String(item[key])
    const print = Object.hasOwn(prints, name) ? prints[name] : undefined
    if (print === undefined) return [{ kind, name, change: 'new', details: ['it is not in the lock'] }]
    return print === hashOf(item) ? [] : [{ kind, name, change: 'words', details: ['its definition changed'] }]
  })
}
