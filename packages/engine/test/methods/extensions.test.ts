import { createServer, fault, tool, topicOf } from '@causeway/engine'
import { connect } from '@causeway/engine/testing'
import type { Extension, ExtensionNotification, Message, Params, Policy, Server, Source } from '@causeway/engine'
import type { Client } from '@causeway/engine/testing'
import { describe, expect, test } from 'vitest'
import { carriers } from '../support/carriers.ts'
import { Peer } from '../support/peer.ts'
import { ALL, STATEFUL } from '../support/scenario.ts'

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

  test.each(['2026-07-28'].filter(over))('is declared, and served to clients that name it', async () => {
    const peer = speak('2026-07-28', NAMED.capabilities)
    expect(await peer.result('server/discover')).toMatchObject({
      capabilities: { extensions: { [ID]: { formats: ['png'] } } },
    })
    const { result } = await peer.request('previews/get', { name: 'x' })
    expect(result).toMatchObject({ preview: 'of x', by: ID, resultType: 'complete', ttlMs: 0 })
    expect(await peer.error('previews/off')).toMatchObject({ code: -32601 })
    await peer.close()
  })

  test.each(['2026-07-28'].filter(over))(
    'is refused to a client that does not, which hears what to declare',
    async () => {
      const peer = speak('2026-07-28', { extensions: { 'com.example/other': {} } })
      expect(await peer.error('previews/get', { name: 'x' })).toEqual({
        code: -32021,
        message: `previews/get belongs to the extension ${ID}, which this request does not declare`,
        data: { requiredCapabilities: { extensions: { [ID]: {} } } },
      })
      await peer.close()
    },
  )

  test.each(STATEFUL.filter(over))('is negotiated in the handshake of %s', async version => {
    const served = { result: { preview: 'of x', by: ID } }
    const refused = { error: { code: -32601, message: 'Method not found: previews/get' } }
    for (const [capabilities, answer] of [[NAMED.capabilities, served] as const, [{}, refused] as const]) {
      const peer = speak(version, capabilities)
      const clientInfo = { name: 'c', version: '1' }
      const hello = await peer.result('initialize', { protocolVersion: version, capabilities, clientInfo })
      expect(hello.capabilities).toMatchObject({ extensions: { [ID]: { formats: ['png'] } } })
      peer.notify('notifications/initialized')
      expect(await peer.request('previews/get', { name: 'x' })).toMatchObject(answer)
      await peer.close()
    }
  })

  test.each(ALL.filter(over))('takes notifications of clients of %s that declare it', async version => {
    const taken: unknown[] = []
    const listening = createServer({ name: 's', version: '1', log: () => {} }).extend({
      ...previews,
      onNotification: {
        'notifications/previews/seen': ({ params: { name }, caller }) => {
          taken.push({ name, client: caller.client?.name })
          throw new Error('which harms nobody')
        },
      },
    })
    for (const capabilities of [NAMED.capabilities, {}]) {
      const peer = new Peer(carrier, listening, version, { capabilities })
      await peer.initialize()
      peer.notify('notifications/previews/seen', peer.envelope({ name: 'x' }))
      peer.notify('notifications/previews/unknown', peer.envelope({ name: 'x' }))
      await peer.result(version === '2026-07-28' ? 'server/discover' : 'ping')
      await peer.close()
    }
    expect(taken).toEqual([{ name: 'x', client: 'tester' }])
  })
})

describe('an extension that a revision has as core', () => {
  const tasks: Extension = {
    id: 'com.example/tasks',
    era: 'stateless',
    methods: [
      { name: 'tasks/get', run: ({ params: { taskId } }) => ({ taskId }) },
      { name: 'tasks/list', run: () => ({ tasks: [] }) },
      { name: 'tasks/update', run: () => ({}) },
    ],
    notifications: ['notifications/tasks', 'notifications/tasks/status'],
    filters: {
      taskIds: (wanted, { caller }) => {
        expect(caller.client?.name).toBe('causeway-test')
        return Array.isArray(wanted) ? wanted.filter(id => id === 'mine') : []
      },
    },
    core: { tasks: { list: {} } },
  }
  const server = (): Server => createServer({ name: 's', version: '1', log: () => {} }).extend(tasks)
  const DECLARED = { extensions: { [tasks.id]: {} } }

  test.each([
    ['2025-06-18', {}, undefined, [-32601, -32601, -32601]],
    ['2025-06-18', DECLARED, undefined, [-32601, -32601, -32601]],
    ['2025-11-25', {}, { list: {} }, [undefined, undefined, -32601]],
  ] as const)('%s, client declares %j', async (version, capabilities, declared, codes) => {
    const client = connect(server(), { version, capabilities })
    const params = { protocolVersion: version, capabilities, clientInfo: { name: 'c', version: '1' } }
    const hello = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })
    const { result } = JSON.parse((await connect(server()).raw(hello)) ?? '') as { result: { capabilities: Params } }
    expect(result.capabilities).not.toHaveProperty('extensions')
    expect(result.capabilities.tasks).toEqual(declared)
    const got = await Promise.all(['tasks/get', 'tasks/list', 'tasks/update'].map(method => codeOf(client, method)))
    expect(got).toEqual(codes)
  })

  test('in the revision that has it as an extension, it is one', async () => {
    const client = connect(server(), { capabilities: DECLARED })
    const { capabilities } = await client.request('server/discover')
    expect(capabilities).toMatchObject({ extensions: { [tasks.id]: {} } })
    expect(capabilities).not.toHaveProperty('tasks')
    expect(await codeOf(client, 'tasks/update')).toBeUndefined()
    expect(await codeOf(connect(server()), 'tasks/get')).toBe(-32021)
  })

  test('what it tells of a topic reaches those that were granted it', async () => {
    const one = server()
    const heard: Message[] = []
    const client = connect(one, { capabilities: DECLARED, onMessage: message => heard.push(message) })
    void client.request('subscriptions/listen', { notifications: { taskIds: ['mine', 'other'] } })
    await expect.poll(() => heard).toMatchObject([{ params: { notifications: { taskIds: ['mine'] } } }])
    one.notify('notifications/tasks', { taskId: 'other' }, { filter: 'taskIds', value: 'other' })
    one.notify('notifications/tasks', { taskId: 'mine' }, { filter: 'taskIds', value: 'mine' })
    expect(heard.slice(1)).toMatchObject([{ method: 'notifications/tasks', params: { taskId: 'mine' } }])
    const undeclared = connect(one).request('subscriptions/listen', { notifications: { taskIds: ['mine'] } })
    await expect(undeclared).rejects.toMatchObject({ code: -32021 })
  })

  test('and the sessions that hold it', async () => {
    const one = server()
      .add(tool({ name: 'begin' }, () => 'begun'))
      .use((call, next) => {
        if (call.params.name === 'begin')
          call.link.session?.subscriptions.add(topicOf({ filter: 'taskIds', value: 'mine' }))
        return next(call)
      })
    const heard: Record<string, unknown[]> = { a: [], b: [] }
    const [a, b] = ['a', 'b'].map(name =>
      connect(one, { version: '2025-11-25', onMessage: message => heard[name]?.push(message) }),
    ) as [Client, Client]
    await a.call('begin')
    await b.call('other').catch(() => {})
    one.notify('notifications/tasks/status', { taskId: 'mine' }, { filter: 'taskIds', value: 'mine' })
    expect(heard).toMatchObject({ a: [{ method: 'notifications/tasks/status', params: { taskId: 'mine' } }], b: [] })
  })
})

async function codeOf(client: Client, method: string): Promise<number | undefined> {
  const failed = (error: unknown): number => (error as { code: number }).code
  return client.request(method, { taskId: 'x' }).then(() => undefined, failed)
}

describe('extensions of sources', () => {
  const source = (name: string, ids: readonly string[], known: Record<string, Params>): Source => ({
    name,
    extensions: {
      settings: Object.fromEntries(ids.map(id => [id, { from: name }])),
      run: async ({ method, caller }) => {
        const result = known[method]
        if (!result) throw fault('method-not-found', `Method not found: ${method}`)
        return { ...result, client: caller.client?.name }
      },
    },
  })
  const UI = 'com.example/ui'
  const declared = { capabilities: { extensions: { [UI]: {}, [ID]: {} } } }
  const one = (): Server => server().add(source('a', [UI, ID], {}), source('b', [UI], { 'ui/open': { opened: true } }))

  test('are united', async () => {
    const { capabilities } = await connect(one(), declared).request('server/discover')
    const expected = { [ID]: { formats: ['png'], from: 'a' }, [UI]: { from: 'a' } }
    expect((capabilities as Params).extensions).toEqual(expected)
  })

  test.each(['2025-06-18', '2026-07-28'])('have their methods tried one after another in %s', async version => {
    const client = connect(one(), { version, ...declared })
    expect(await client.request('ui/open')).toMatchObject({ opened: true, client: 'causeway-test' })
    await expect(client.request('ui/close')).rejects.toMatchObject({ code: -32601 })
    await expect(connect(one(), { version }).request('ui/open')).rejects.toMatchObject({ code: -32601 })
  })

  test('have the policies of their mount around them', async () => {
    const used: string[] = []
    const mounting = server()
    const use: Policy = (call, next) => {
      used.push(call.method)
      return next(call)
    }
    mounting.mount(source('b', [UI], { 'ui/open': {} }), { use: [use] })
    await connect(mounting, declared).request('ui/open')
    expect(used).toEqual(['ui/open'])
  })

  test('get notifications of clients that declare them, and send theirs to these', async () => {
    const taken: string[] = []
    let tell: ((notification: ExtensionNotification) => void) | undefined
    const mounting = server()
    const { unmount } = mounting.mount({
      name: 'far',
      extensions: {
        settings: { [UI]: {} },
        onNotification: ({ method }) => void taken.push(method),
        listen: to => {
          tell = to
          return () => (tell = undefined)
        },
      },
    })
    const heard: unknown[] = []
    const options = { version: '2025-11-25', onMessage: (message: Message) => heard.push(message) }
    const clients = [connect(mounting, { ...options, ...declared }), connect(mounting, options)]
    for (const client of clients) {
      await client.request('ping')
      await client.notify('notifications/ui/moved')
    }
    expect(taken).toEqual(['notifications/ui/moved'])
    tell?.({ extensions: [UI], method: 'notifications/ui/changed', params: { a: 1 } })
    expect(heard).toMatchObject([{ method: 'notifications/ui/changed', params: { a: 1 } }])
    unmount()
    expect(tell).toBeUndefined()
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
  const { onlyWork } = await import('@causeway/engine/policies')
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
