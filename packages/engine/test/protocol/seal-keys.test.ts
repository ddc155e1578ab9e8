import { createHash, randomBytes } from 'node:crypto'
import { memoryStore } from '@causeway/engine/stores'
import { expect, test } from 'vitest'
import { SharedKeys } from '../../src/protocol/seal-keys.ts'

const PERIOD_MS = 12 * 60 * 60_000
const idOf = (key: Buffer): string =>
  `${Math.floor(Date.now() / PERIOD_MS)}-${createHash('sha256').update(key).digest('hex').slice(0, 16)}`

test('a key that another process has used already is waited for until it is in the store', async () => {
  const store = memoryStore()
  const keys = new SharedKeys(store, () => {})
  const key = randomBytes(32)
  const id = idOf(key)
  const fetched = keys.fetch(id)
  // The other process wrote its answer first, and the key a moment later.
  await Promise.resolve()
  store.set(`sealkey:${id}`, key.toString('base64'), 60_000)
  await fetched
  expect(keys.find(id)).toEqual(key)
})

test('a key that nobody has is not waited for without end', async () => {
  const keys = new SharedKeys(memoryStore(), () => {})
  await keys.fetch(idOf(randomBytes(32)))
  await keys.fetch('1-0123456789abcdef')
  expect(keys.fetch('no id')).toBeUndefined()
})
