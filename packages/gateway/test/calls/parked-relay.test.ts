import { memoryStore } from '@causeway/engine/stores'
import type { Params, Server } from '@causeway/engine'
import type { Store } from '@causeway/engine/stores'
import { serveHttp } from '@causeway/engine/http'
import { expect, test, vi } from 'vitest'
import { Stateless } from '../../../engine/test/support/http-client.ts'
import type { ReceivedMessage } from '../../../engine/test/support/peer.ts'
import { entryOf, gatewayTo, later, textOf } from '../support/world.ts'

const CAN = { elicitation: { form: {} } }

/** Two gateways in front of the same server, and a store that each can be cut off from. */
async function pair(): Promise<{ here: Stateless; there: Stateless; store: Store; elsewhere: Store }> {
  const store = memoryStore({ processId: 'a' })
  const elsewhere = memoryStore({ shareWith: store, processId: 'b' })
  const entry = await entryOf('sdk-v1', 'stdio')
  const [here, there] = await Promise.all([store, elsewhere].map(own => clientOf(entry, own)))
  if (!here || !there) throw new Error('no clients')
  return { here, there, store, elsewhere }
}

async function clientOf(entry: Params, store: Store): Promise<Stateless> {
  const { server, gateway } = await gatewayTo({ up: entry }, { store })
  await gateway.servers.get('up')?.refresh()
  const { url } = await served(server, store)
  return new Stateless(url, { capabilities: CAN })
}

async function served(server: Server, store: Store): Promise<{ url: string }> {
  const service = await serveHttp(server, { port: 0, store })
  later(() => service.close())
  return service
}

function answered({ result }: ReceivedMessage, value: string, more: Params = {}): Params {
  const { requestState, inputRequests } = result as { requestState: string; inputRequests: Params }
  const [key = ''] = Object.keys(inputRequests)
  const inputResponses = { [key]: { action: 'accept', content: { value } } }
  return { name: 'up__ask', arguments: {}, requestState, inputResponses, ...more }
}

test('a call that waits in one process goes on through another, over stdio too', async () => {
  const { here, there } = await pair()
  const last = await there.request('tools/call', answered(await here.call('up__ask'), 'one'))
  const done = await there.request('tools/call', answered(last, 'two'))
  expect(JSON.parse(textOf(done.result as Params))).toMatchObject([
    { content: { value: 'one' } },
    { content: { value: 'two' } },
  ])
})

test('answers that are too long, a process that is gone and one that cannot be reached are said in words', async () => {
  const { here, there, store, elsewhere } = await pair()
  const asked = await here.call('up__ask')
  const long = await there.request('tools/call', answered(asked, 'x'.repeat(1024 * 1024)))
  expect(JSON.stringify(long)).toContain('too long to send to the process that asked')
  const publish = vi.spyOn(elsewhere, 'publish').mockImplementation(() => {
    throw new Error('away')
  })
  const away = await there.request('tools/call', answered(asked, 'one'))
  expect(JSON.stringify(away)).toContain('Send the same request again')
  // Sent, but nobody answers, and then its sender is found to be gone.
  publish.mockImplementation(() => 1)
  const waiting = there.request('tools/call', answered(asked, 'one'))
  await vi.waitFor(() => expect(publish.mock.calls.filter(([channel]) => channel === 'parked:a')).toHaveLength(2))
  await store.close()
  expect(JSON.stringify(await waiting)).toContain('may or may not have done its work')
})
