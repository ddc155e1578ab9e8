import { isObject } from '../jsonrpc/message.ts'
import type { Rewrite } from './revision.ts'

type Fields = Record<string, unknown>

/** A copy without the named members. */
export const omit =
  (...names: readonly string[]): Rewrite =>
  value => {
    if (!names.some(name => name in value)) return value
    const copy: Fields = { ...value }
    for (const name of names) delete copy[name]
    return copy
  }

/** Apply a change to every object of the list that stands under `key`. */
export const each =
  (key: string, change: Rewrite): Rewrite =>
  value => {
    const list = value[key]
    if (!Array.isArray(list)) return value
    const changed = list.map((item: unknown) => (isObject(item) ? change(item) : item))
    return changed.every((item, i) => item === list[i]) ? value : { ...value, [key]: changed }
  }

/** Apply a change to the object that stands under `key`. */
export const at =
  (key: string, change: Rewrite): Rewrite =>
  value => {
    const inner = value[key]
    if (!isObject(inner)) return value
    const changed = change(inner)
    return changed === inner ? value : { ...value, [key]: changed }
  }

/** One change after another. */
export const all =
  (...changes: readonly Rewrite[]): Rewrite =>
  value =>
    changes.reduce((current, change) => change(current), value)

/** Under which key each list method keeps its items. */
export const LISTS = {
  'tools/list': 'tools',
  'prompts/list': 'prompts',
  'resources/list': 'resources',
  'resources/templates/list': 'resourceTemplates',
} as const

/** A change to every listed item of every kind. */
export const listed = (change: Rewrite): Record<string, Rewrite> =>
  Object.fromEntries(Object.entries(LISTS).map(([method, member]) => [method, each(member, change)]))

/** A change to every content block, wherever a result carries them. */
export const contents = (change: Rewrite): Record<string, Rewrite> => ({
  'tools/call': each('content', change),
  'prompts/get': each('messages', at('content', change)),
})
