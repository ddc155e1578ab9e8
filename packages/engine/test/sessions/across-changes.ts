import { expect, test } from 'vitest'
import { Stateful, Stateless, ask } from '../support/http-client.ts'
import type { Shop } from '../support/workshop.ts'
import type { Pair } from './across.ts'

const at = (shop: Shop, { session, version }: Stateful): Stateful => new Stateful(shop.url, session, { version })
const isListChanged = ({ method }: { method?: string }): boolean => method === 'notifications/tools/list_changed'
const isUpdated = ({ method }: { method?: string }): boolean => method === 'notifications/resources/updated'

/** What one process changes reaches clients of the other. */
export function changes(pair: Pair): void {
  test('what a call there changes is heard on a stream here, once', async () => {
    const [a, b] = await pair()
    const here = await Stateful.open(a.url)
    await here.request('resources/subscribe', { uri: 'note://one' })
    const stream = await here.listen()
    await at(b, here).call('change')
    await stream.until(isListChanged)
    await at(b, here).call('touch')
    await stream.until(isUpdated)
    await here.call('touch')
    await stream.reads(() => stream.messages.filter(isUpdated).length === 2)
    expect(stream.messages).toHaveLength(3)
    stream.hangUp()
  })

  test('missed while away, it is told on return, wherever that is', async () => {
    const [a, b] = await pair()
    const here = await Stateful.open(a.url)
    await here.request('resources/subscribe', { uri: 'note://one' })
    const first = await here.listen()
    await here.call('touch')
    await first.until(isUpdated)
    first.hangUp()
    await here.call('change')
    await at(b, here).call('touch')
    await at(b, here).call('touch')
    const rest = await at(b, here).listen(first.ids.at(-1))
    await rest.until(isListChanged)
    await rest.until(isUpdated)
    await here.call('change')
    await rest.reads(() => rest.messages.filter(isListChanged).length === 2)
    expect(rest.messages.filter(isUpdated), 'each thing once').toHaveLength(1)
    rest.hangUp()
    const numbers = [...first.ids, ...rest.ids].map(id => Number(id.split('_')[1]))
    expect(numbers).toEqual(numbers.toSorted((x, y) => x - y))
  })
}

/** One stream at a time. */
export function oneReader(pair: Pair): void {
  test('a client that listens there is no longer told here', async () => {
    const [a, b] = await pair()
    const here = await Stateful.open(a.url)
    const first = await here.listen()
    const second = await at(b, here).listen()
    await first.ended
    await here.call('change')
    await second.until(isListChanged)
    const both = await Promise.all([at(b, here).listen(), at(b, here).listen()])
    await here.call('change')
    await Promise.any(both.map(stream => stream.until(isListChanged)))
    await Promise.any(both.map(stream => stream.ended))
    expect(both.filter(({ over }) => !over)).toHaveLength(1)
    for (const stream of both) stream.hangUp()
  })
}

/** Whoever listens, and however late. */
export function newsForAll(pair: Pair): void {
  test('a client that had no stream yet hears what changed since its handshake', async () => {
    const [a, b] = await pair()
    const here = await Stateful.open(a.url)
    await here.call('change')
    const stream = await at(b, here).listen()
    expect(await stream.until(isListChanged)).not.toHaveProperty('id')
    stream.hangUp()
  })

  test('streams of the newest revision hear it, too', async () => {
    const [a, b] = await pair()
    const listening = ask(1, 'subscriptions/listen', {
      notifications: { toolsListChanged: true, resourceSubscriptions: ['note://one'] },
    })
    const stream = await new Stateless(b.url).stream(listening)
    await stream.until(({ method }) => method === 'notifications/subscriptions/acknowledged')
    await new Stateless(a.url).call('change')
    await stream.until(isListChanged)
    await new Stateless(a.url).call('touch')
    expect(await stream.until(isUpdated)).toMatchObject({ params: { uri: 'note://one' } })
    stream.hangUp()
  })
}
