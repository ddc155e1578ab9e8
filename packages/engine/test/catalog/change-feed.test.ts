import { memoryStore } from '@causeway/engine/stores'
import type { Store } from '@causeway/engine/stores'
import { expect, test } from 'vitest'
import { ChangeFeed } from '../../src/catalog/change-feed.ts'
import { Changes } from '../../src/catalog/changes.ts'
import type { Change } from '../../src/catalog/changes.ts'

/** A promise, and what resolves it. */
function gate(): { opened: Promise<void>; open: () => void } {
  let open = (): void => {}
  const opened = new Promise<void>(resolve => void (open = resolve))
  return { opened, open }
}

interface Processes {
  readonly a: Changes
  readonly b: Changes
  readonly feeds: readonly [ChangeFeed, ChangeFeed]
  /** What the second one heard of. */
  readonly heard: readonly Change[]
  read(): void
  follow(): void
}

/** Two processes; the second one reads and follows when it may. */
function twoProcesses(): Processes {
  const first = memoryStore({ processId: 'a' })
  const second = memoryStore({ shareWith: first, processId: 'b' })
  const [read, follow] = [gate(), gate()]
  const slow: Store = Object.create(second, {
    read: { value: (log: string, from: number) => read.opened.then(() => second.read(log, from)) },
    follow: {
      value: (...args: Parameters<Store['follow']>) => follow.opened.then(() => second.follow(...args)),
    },
  }) as Store
  const [a, b] = [new Changes(), new Changes()]
  const heard: Change[] = []
  b.listen(change => heard.push(change))
  const feeds = [new ChangeFeed(a, first, async () => 'list'), new ChangeFeed(b, slow, async () => 'list')] as const
  return { a, b, feeds, heard, read: read.open, follow: follow.open }
}

test('what changes elsewhere between the first look at the log and its being followed is told', async () => {
  const { a, b, feeds, heard, read, follow } = twoProcesses()
  read()
  const { isFollowed } = b
  await new Promise(resolve => void setImmediate(resolve))
  a.resource('note://one')
  follow()
  await isFollowed
  expect(heard).toEqual([{ uri: 'note://one' }])
  a.resource('note://two')
  expect(heard).toEqual([{ uri: 'note://one' }, { uri: 'note://two' }])
  expect(feeds[1].position).toBe(feeds[0].position)
})

test('a log is followed only when its end is known', async () => {
  const { b, read, follow } = twoProcesses()
  expect(b.isFollowed).toBeInstanceOf(Promise)
  read()
  follow()
  await b.isFollowed
  expect(b.isFollowed).toBeUndefined()
})
