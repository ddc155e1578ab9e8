import { memoryStore } from '@causeway/engine/stores'
import { expect, test } from 'vitest'
import { Stateful, call } from '../support/http-client.ts'
import { shopForTest } from '../support/workshop.ts'
import { acrossProcesses } from './across.ts'

acrossProcesses('memory', async () => {
  const store = memoryStore({ processId: 'a' })
  return [store, memoryStore({ shareWith: store, processId: 'b' })]
})

test('a call whose process is gone is answered for it, on the stream resumed elsewhere', async () => {
  const store = memoryStore({ processId: 'a' })
  const here = await shopForTest({ store })
  const there = await shopForTest({ store: memoryStore({ shareWith: store, processId: 'b' }) })
  const session = await Stateful.open(here.url)
  const first = await session.stream(call('k', 'steps', { key: 'k' }, { progressToken: 1 }))
  await first.until(({ method }) => method === 'notifications/progress')
  first.hangUp()
  store.close()
  const elsewhere = new Stateful(there.url, session.session, {})
  for (const _ of [1, 2]) {
    const rest = await elsewhere.listen(first.ids.at(-1))
    await rest.ended
    expect(rest.messages.at(-1)).toMatchObject({ id: 'k', error: { message: expect.stringContaining('has ended') } })
  }
})
