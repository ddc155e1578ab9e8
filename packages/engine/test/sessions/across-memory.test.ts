import { scopeRules } from '@causeway/engine/http'
import type { Authenticator } from '@causeway/engine/http'
import { requireScopes } from '@causeway/engine/policies'
import { memoryStore } from '@causeway/engine/stores'
import { expect, test } from 'vitest'
import { Stateful, call, hello } from '../support/http-client.ts'
import { JSON_HEADERS, exchange, open } from '../support/http-exchange.ts'
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

test('over HTTP+SSE, a message has the rights of the token it was posted with, wherever the stream is', async () => {
  const store = memoryStore({ processId: 'a' })
  const rules = scopeRules({ tools: { '*': ['read'] } })
  // The token is the scope.
  const authenticator: Authenticator = { authenticate: ({ token = '' }) => ({ name: 'ada', scopes: [token] }) }
  const here = await shopForTest({ store, authenticator, scopes: rules })
  const there = await shopForTest({
    store: memoryStore({ shareWith: store, processId: 'b' }),
    authenticator,
    scopes: rules,
  })
  for (const { server } of [here, there]) server.use(requireScopes(rules, server))
  const bearer = (scope: string): { authorization: string } => ({ authorization: `Bearer ${scope}` })
  const headers = { ...bearer('read'), accept: 'text/event-stream' }
  const stream = await open(here.url, { method: 'GET', path: '/sse', headers })
  await stream.reads(() => stream.events.length > 0)
  const path = stream.events[0]?.data ?? ''
  const post = (body: unknown, scope: string): ReturnType<typeof exchange> =>
    exchange(there.url, { path, body, headers: { ...JSON_HEADERS, ...bearer(scope) } })
  await post(hello(), 'read')
  await post(call(2, 'echo', { text: 'x' }), 'nothing')
  await stream.reads(() => stream.text.includes('"id":2'))
  expect(stream.text).toContain('requiredScopes')
  await post(call(3, 'echo', { text: 'x' }), 'read')
  await stream.reads(() => stream.text.includes('"id":3'))
  expect(stream.text).toMatch(/"id":3,"result"/)
  stream.hangUp()
})
