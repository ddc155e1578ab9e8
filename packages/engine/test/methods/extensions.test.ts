import { connect, createServer } from '@causeway/engine'
import type { Extension, Params, Server } from '@causeway/engine'
import { describe, expect, test } from 'vitest'
import { carriers } from '../support/carriers.ts'
import { Peer } from '../support/peer.ts'
import { STATEFUL } from '../support/scenario.ts'

const ID = 'com.example/previews'

/** All an extension is: one value. */
const previews: Extension = {
  id: ID,
  methods: [
    {
      name: 'previews/get',
      run: ({ params, descriptor }) => ({ preview: `of ${String(params.name)}`, by: descriptor.extension }),
      mirror: 'name',
      cacheable: true,
      work: true,
    },
    { name: 'previews/off', run: () => ({}), offered: () => false },
  ],
  notifications: ['notifications/previews/ready'],
  capabilities: { formats: ['png'] },
}

const server = (): Server => createServer({ name: 's', version: '1', log: () => {} }).extend(previews)
const NAMED = { capabilities: { extensions: { [ID]: {} } } }

describe.each(carriers)('an extension over $name', carrier => {
  const over = (version: string): boolean => carrier.carries({ version })
  const speak = (version: string, capabilities: Params): Peer => new Peer(carrier, server(), version, { capabilities })

  test.runIf(over('2026-07-28'))('is declared, and served to clients that name it', async () => {
    const peer = speak('2026-07-28', NAMED.capabilities)
    expect(await peer.result('server/discover')).toMatchObject({
      capabilities: { extensions: { [ID]: { formats: ['png'] } } },
    })
    const { result } = await peer.request('previews/get', { name: 'x' })
    expect(result).toMatchObject({ preview: 'of x', by: ID, resultType: 'complete', ttlMs: 0 })
    expect(await peer.error('previews/off')).toMatchObject({ code: -32601 })
    await peer.close()
  })

  test.runIf(over('2026-07-28'))('is not spoken to a client that does not', async () => {
    const peer = speak('2026-07-28', { extensions: { 'com.example/other': {} } })
    expect(await peer.error('previews/get', { name: 'x' })).toMatchObject({
      code: -32601,
      message: 'Method not found: previews/get',
    })
    await peer.close()
  })

  test.each(STATEFUL.filter(over))('is unknown to %s, whatever the client says', async version => {
    const peer = speak(version, NAMED.capabilities)
    const { capabilities } = await peer.result('initialize', {
      protocolVersion: version,
      capabilities: NAMED.capabilities,
      clientInfo: { name: 'c', version: '1' },
    })
    expect(capabilities).not.toHaveProperty('extensions')
    peer.notify('notifications/initialized')
    expect(await peer.error('previews/get', { name: 'x' })).toMatchObject({ code: -32601 })
    await peer.close()
  })
})

test('its notifications reach who listens and named it, and nobody else', async () => {
  const one = server()
  const heard: Record<string, Params[]> = { named: [], unnamed: [] }
  for (const [name, options] of Object.entries({ named: NAMED, unnamed: {} })) {
    const client = connect(one, {
      ...options,
      onMessage: message => {
        if ('method' in message) heard[name]?.push({ method: message.method, ...message.params })
      },
    })
    void client.request('subscriptions/listen', { notifications: {} })
  }
  await expect.poll(() => Object.values(heard).map(messages => messages.length)).toEqual([1, 1])
  one.notify('notifications/previews/ready', { name: 'x' })
  expect(heard.unnamed).toHaveLength(1)
  expect(heard.named?.[1]).toMatchObject({
    method: 'notifications/previews/ready',
    name: 'x',
    _meta: { 'io.modelcontextprotocol/subscriptionId': expect.anything() },
  })
  expect(() => one.notify('notifications/previews/raedy')).toThrow(
    "No extension declares the notification 'notifications/previews/raedy'. Did you mean 'notifications/previews/ready'?",
  )
})

test('policies that count work count its work', async () => {
  const counted: string[] = []
  const { onlyWork } = await import('@causeway/engine')
  const one = server().use(
    onlyWork((call, next) => {
      counted.push(call.method)
      return next(call)
    }),
  )
  const client = connect(one, NAMED)
  await client.request('previews/get', { name: 'x' })
  await client.request('server/discover')
  expect(counted).toEqual(['previews/get'])
})

test('what cannot be added is refused with what to mend', () => {
  expect(() => server().extend(previews)).toThrow(`Extension '${ID}' was added already`)
  expect(() => server().extend({ id: 'plain' })).toThrow("such as 'com.example/plain'")
  const taken = { id: 'com.example/x', methods: [{ name: 'tools/call', run: () => ({}) }] }
  expect(() => server().extend(taken)).toThrow("there is a method 'tools/call' already")
  expect(() => server().extend({ id: 'com.example/x', notifications: ['ready'] })).toThrow(
    "begins with 'notifications/'",
  )
})
