import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import type { Store } from '@causeway/engine/stores'
import { LOCK_MS, WAIT_MS, lockTimeout, pauseMs, turns } from './sealed-records.ts'
import type { SealedRecords } from './sealed-records.ts'

/** What a shared store does for records. */
export type RecordStore = Pick<Store, 'get' | 'set' | 'replace' | 'delete'>

// Each refresh keeps a login for so long again.
const KEPT_MS = 365 * 24 * 60 * 60_000
const MOST_ATTEMPTS = 100

const recordKey = (name: string): string => `credential:${name}`
const groupKey = (group: string): string => `credentials:${group}`

/** Sealed records in a shared store, each in a group: the first part of its name. */
export function storeRecords(store: RecordStore): SealedRecords {
  const inTurn = turns()
  return {
    isShared: true,
    shown: name => `${recordKey(name)} in the store`,
    read: async name => store.get(recordKey(name)),
    async write(name, text) {
      await store.set(recordKey(name), text, KEPT_MS)
      await editGroup(store, name, names => [...names, name])
    },
    async delete(name) {
      await store.delete(recordKey(name))
      await editGroup(store, name, names => names)
    },
    names: async group => namesIn(await store.get(groupKey(group))),
    locked: (name, task) => inTurn(name, () => withStoreLock(store, name, task)),
  }
}

const groupOf = (name: string): string => name.split('-', 1)[0] ?? name

const namesIn = (text: string | undefined): readonly string[] => text?.split(' ').filter(name => name !== '') ?? []

/** Change the list of names of a group, also if other processes do so at the same time. */
async function editGroup(
  store: RecordStore,
  name: string,
  edit: (others: readonly string[]) => readonly string[],
): Promise<void> {
  const key = groupKey(groupOf(name))
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
    const text = await store.get(key)
    const next = edit(namesIn(text).filter(one => one !== name)).join(' ')
    if (next === '' && text === undefined) return
    if (await store.replace(key, text, next, KEPT_MS)) return
    await setTimeout(pauseMs(attempt))
  }
  throw lockTimeout(key)
}

async function withStoreLock<T>(store: RecordStore, name: string, task: () => Promise<T>): Promise<T> {
  const [key, mark] = [`credentiallock:${name}`, randomUUID()]
  const until = performance.now() + WAIT_MS
  for (let attempt = 0; !(await store.replace(key, undefined, mark, LOCK_MS)); attempt++) {
    if (performance.now() > until) throw lockTimeout(key)
    await setTimeout(pauseMs(attempt))
  }
  try {
    return await task()
  } finally {
    // Only if it is still ours. A lock that cannot be given back ends by itself.
    await Promise.resolve(store.replace(key, mark, '', 1)).catch(() => false)
  }
}
