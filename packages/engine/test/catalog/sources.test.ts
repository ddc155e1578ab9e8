import { createServer, prompt, resource, template, tool } from '@causeway/engine'
import { connect } from '@causeway/engine/testing'
import type { Awaitable, Call, Entry, Handle, Pack, Policy, Server, Shelf, Source, ToolEntry } from '@causeway/engine'
import { describe, expect, test } from 'vitest'
import { scenario } from '../support/scenario.ts'

/** A shelf whose entries can be exchanged, and that answers by a promise, as one of another server would. */
class LiveShelf<E extends Entry> implements Shelf<E> {
  entries: readonly E[]
  asked = 0
  readonly #listeners = new Set<() => void>()

  constructor(entries: readonly E[]) {
    this.entries = entries
  }

  list(): Awaitable<readonly E[]> {
    this.asked += 1
    return Promise.resolve(this.entries)
  }

  find(key: string): Awaitable<E | undefined> {
    return Promise.resolve(this.entries.find(entry => entry.key === key || entry.aliases?.includes(key)))
  }

  listen(changed: () => void): () => void {
    this.#listeners.add(changed)
    return () => this.#listeners.delete(changed)
  }

  change(entries: readonly E[]): void {
    this.entries = entries
    for (const changed of this.#listeners) changed()
  }

  get watched(): boolean {
    return this.#listeners.size > 0
  }
}

const says =
  (words: string): Handle =>
  () => ({ content: [{ type: 'text', text: words }] })
const remote = (name: string, run: Handle = says(name)): ToolEntry => ({
  key: name,
  info: { name, inputSchema: { type: 'object' } },
  run,
})
const bare = (): Server => createServer({ name: 's', version: '1', log: () => {} })
const namesOf = async (server: Server): Promise<unknown[]> => (await server.listed('tool')).map(({ name }) => name)

const promised = (): Server => bare().add({ name: 'far', tools: new LiveShelf([remote('one'), remote('two')]) })

scenario('tools of a promise are listed and called like any other', { server: promised }, async peer => {
  expect(await peer.result('tools/list')).toMatchObject({ tools: [{ name: 'one' }, { name: 'two' }] })
  expect(await peer.words('two')).toBe('two')
  expect((await peer.error('tools/call', { name: 'tow' })).message).toContain('Unknown tool: tow')
})

const tellsOfChanges = { server: promised, in: ['2025-11-25'] }
scenario('a source that changes is told of, until it is unmounted', tellsOfChanges, async (peer, server) => {
  const shelf = new LiveShelf([remote('three')])
  const { unmount } = server.mount({ name: 'new', tools: shelf })
  await peer.quiet()
  shelf.change([remote('four')])
  await peer.quiet()
  expect(await peer.words('four')).toBe('four')
  unmount()
  unmount()
  await peer.quiet()
  expect(peer.sent('notifications/tools/list_changed')).toHaveLength(3)
  expect(shelf.watched).toBe(false)
  expect((await peer.error('tools/call', { name: 'four' })).message).toContain('Unknown tool: four')
})

test('definitions and results of elsewhere pass through unread', async () => {
  const info = {
    name: 'x',
    inputSchema: { type: 'object', properties: { a: { type: 'strnig' } } },
    outputSchema: { type: 'object', required: ['n'] },
    execution: { taskSupport: 'optional' },
    'com.example/other': [1, { deep: true }],
    _meta: { 'com.example/m': 1 },
  }
  const result = { content: [{ type: 'odd', extra: 1 }], structuredContent: { n: 'no' }, added: { in: 'future' } }
  const entry: ToolEntry = { key: 'x', info, run: () => result }
  // Which tools can be tasks is said in the one revision whose clients ask for tasks.
  const { execution, ...shared } = info
  for (const [version, shown] of [
    ['2025-11-25', info],
    ['2026-07-28', shared],
  ] as const) {
    const client = connect(bare().add({ name: 'far', tools: new LiveShelf([entry]) }), { version })
    expect((await client.request('tools/list')).tools).toEqual([shown])
    expect(await client.request('tools/call', { name: 'x', arguments: { a: 1 } })).toMatchObject(result)
  }
  const old = connect(bare().add({ name: 'far', tools: new LiveShelf([entry]) }), { version: '2024-11-05' })
  const { _meta, outputSchema, ...rest } = shared
  expect((await old.request('tools/list')).tools).toEqual([rest])
  expect(await old.request('tools/call', { name: 'x' })).toMatchObject({ content: result.content, added: result.added })
})

test('a source shows each caller what it may see, and such a list is nobody else’s', async () => {
  const seen: (string | undefined)[] = []
  const mine: Shelf<ToolEntry> = {
    list: ({ client }) => {
      seen.push(client?.name)
      return [remote(`for_${client?.name}`)]
    },
    find: (key, { client }) => (key === `for_${client?.name}` ? remote(key) : undefined),
  }
  const cache = { ttlMs: 5, cacheScope: 'public' } as const
  const server = createServer({ name: 's', version: '1', cache }).add({ name: 'far', tools: mine })
  const page = await connect(server).request('tools/list')
  expect(page).toMatchObject({ tools: [{ name: 'for_causeway-test' }], ttlMs: 5, cacheScope: 'private' })
  expect(await connect(server).call('for_causeway-test')).toBe('for_causeway-test')
  await expect(connect(server).call('for_other')).rejects.toThrow('Unknown tool')
  expect(seen[0]).toBe('causeway-test')
  const shared = createServer({ name: 's', version: '1', cache }).add(tool({ name: 'a' }, () => ''))
  expect(await connect(shared).request('tools/list')).toMatchObject({ cacheScope: 'public' })
})

test('lists of several sources are paged in one stable order, the first of a name only', async () => {
  const server = createServer({ name: 's', version: '1', pageSize: 2 })
  server.mount({ name: 'far', tools: new LiveShelf([remote('b'), remote('a'), remote('c')]) })
  server.add(
    tool({ name: 'own' }, () => 'own'),
    tool({ name: 'a' }, () => 'own a'),
  )
  const client = connect(server)
  const names: unknown[] = []
  let cursor: unknown
  do {
    const page = await client.request('tools/list', cursor === undefined ? {} : { cursor })
    names.push(...(page.tools as { name: string }[]).map(({ name }) => name))
    cursor = page.nextCursor
  } while (cursor !== undefined)
  expect(names).toEqual(['b', 'a', 'c', 'own'])
  expect(await client.call('a')).toBe('a')
})

test('a source that fails or says nothing harms only itself', async () => {
  const lines: unknown[] = []
  const server = createServer({ name: 's', version: '1', log: (...line) => lines.push(line) })
  const broken: Shelf<ToolEntry> = {
    list: () => Promise.reject(new Error('unplugged')),
    find: () => {
      throw new Error('unplugged')
    },
  }
  server.add({ name: 'broken', tools: broken }).add(tool({ name: 'well' }, () => 'well'))
  const client = connect(server)
  expect(await client.request('tools/list')).toMatchObject({ tools: [{ name: 'well' }] })
  expect(await client.call('well')).toBe('well')
  await expect(client.call('other')).rejects.toThrow('unplugged')
  expect(lines).toContainEqual([
    'error',
    'a source could not be listed',
    { source: 'broken', error: expect.any(Error) },
  ])
})

test('promises of another kind are waited for', async () => {
  const later = <T>(value: T): Promise<T> =>
    // oxlint-disable-next-line unicorn/no-thenable -- that is what this is about
    ({ then: (done: (value: T) => void) => void setImmediate(done, value) }) as unknown as Promise<T>
  const entry = remote('t', () => later({ content: [{ type: 'text', text: 'late' }] }))
  const tools: Shelf<ToolEntry> = { list: () => later([entry]), find: () => later(entry) }
  const client = connect(bare().add({ name: 'far', tools }))
  expect(await client.call('t')).toBe('late')
  expect(await client.request('tools/list')).toMatchObject({ tools: [{ name: 't' }] })
})

/** One of every kind, of a pack and of a live source alike. */
const pack: Pack = {
  name: 'kinds',
  features: [
    tool({ name: 'tool', aliases: ['alias'] }, () => 'x'),
    prompt({ name: 'prompt', arguments: [{ name: 'a', complete: ['abc'] }] }, () => 'x'),
    resource({ uri: 'x://fixed', name: 'fixed' }, () => 'x'),
    template({ uriTemplate: 'y://{v}', name: 'family', complete: { v: ['vwx'] } }, () => 'x'),
  ],
}
const values: Handle = () => ({ completion: { values: ['abc'], total: 1, hasMore: false } })
const live = (): Source => ({
  name: 'kinds',
  tools: new LiveShelf([{ ...remote('tool'), aliases: ['alias'] }]),
  prompts: new LiveShelf<Entry>([{ key: 'prompt', info: { name: 'prompt' }, run: () => ({ messages: [] }) }]),
  resources: new LiveShelf<Entry>([
    { key: 'x://fixed', info: { uri: 'x://fixed', name: 'fixed' }, run: () => ({ contents: [] }) },
  ]),
  templates: new LiveShelf([
    {
      key: 'y://{v}',
      info: { uriTemplate: 'y://{v}', name: 'family' },
      matches: (uri: string) => uri.startsWith('y://'),
      run: (): Record<string, unknown> => ({ contents: [] }),
    },
  ]),
  complete: values,
})

const REQUESTS = (prefix: string): readonly (readonly [string, Record<string, unknown>])[] => [
  ['tools/call', { name: `${prefix}tool` }],
  ['tools/call', { name: `${prefix}alias` }],
  ['prompts/get', { name: `${prefix}prompt` }],
  ['resources/read', { uri: 'x://fixed' }],
  ['resources/read', { uri: 'y://z' }],
  ['completion/complete', { ref: { type: 'ref/prompt', name: `${prefix}prompt` }, argument: { name: 'a', value: '' } }],
  ['completion/complete', { ref: { type: 'ref/resource', uri: 'y://{v}' }, argument: { name: 'v', value: '' } }],
]

describe.each([
  ['a pack', () => pack],
  ['a live source', live],
] as const)('%s', (_, make: () => Pack | Source) => {
  const subject = ({ params }: Call): unknown => params.name ?? params.uri ?? (params.ref as { name?: string }).name
  const marking =
    (order: string[], name: string): Policy =>
    (call, next) => {
      order.push(`${name} ${call.method} ${String(subject(call))}`)
      return next(call)
    }

  test('has policies of its own and of its mount around everything, and around nothing else', async () => {
    const order: string[] = []
    const server = bare()
    server.mount({ ...make(), use: [marking(order, 'own')] }, { prefix: 'p_', use: [marking(order, 'mount')] })
    server.add(tool({ name: 'other' }, () => 'x'))
    const client = connect(server)
    await client.call('other')
    await client.request('tools/list')
    expect(order).toEqual([])
    for (const [method, params] of REQUESTS('p_')) await client.request(method, params)
    // Whoever mounts it knows its names by their prefix; it knows its own.
    expect(order.filter(line => line.startsWith('mount'))).toEqual([
      'mount tools/call p_tool',
      'mount tools/call p_alias',
      'mount prompts/get p_prompt',
      'mount resources/read x://fixed',
      'mount resources/read y://z',
      'mount completion/complete p_prompt',
      'mount completion/complete undefined',
    ])
    expect(order.filter(line => line.startsWith('own'))).toEqual([
      'own tools/call tool',
      'own tools/call alias',
      'own prompts/get prompt',
      'own resources/read x://fixed',
      'own resources/read y://z',
      'own completion/complete prompt',
      'own completion/complete undefined',
    ])
  })

  test('can be mounted twice under two prefixes; a URI is the first one’s', async () => {
    const order: string[] = []
    const server = bare()
    const first = server.mount(make(), { prefix: 'a_', use: [marking(order, 'a')] })
    server.mount(make(), { prefix: 'b_', use: [marking(order, 'b')] })
    const client = connect(server)
    for (const prefix of ['a_', 'b_'])
      for (const [method, params] of REQUESTS(prefix)) await client.request(method, params)
    expect(order.filter(line => line.startsWith('b')).map(line => line.split(' ')[1])).toEqual([
      'tools/call',
      'tools/call',
      'prompts/get',
      'completion/complete',
    ])
    expect(await namesOf(server)).toEqual(['a_tool', 'b_tool'])
    expect(await server.listed('resource')).toHaveLength(1)
    first.unmount()
    expect(await namesOf(server)).toEqual(['b_tool'])
    await client.request('resources/read', { uri: 'x://fixed' })
    expect(order.at(-1)).toBe('b resources/read x://fixed')
  })
})

test('without a prefix, two packs with the same name or URI are a mistake, and nothing of the second is left', async () => {
  const server = bare().add(pack)
  const uris: Pack = { name: 'uris', features: [tool({ name: 'fresh' }, () => ''), ...pack.features.slice(2, 3)] }
  expect(() => server.mount(uris)).toThrow("Duplicate name 'x://fixed': remove the first one, or mount with a prefix")
  expect(() => server.mount(pack, { prefix: '' })).toThrow("Duplicate name 'tool'")
  expect(await namesOf(server)).toEqual(['tool'])
})

describe('what was mounted', () => {
  const far = (...names: string[]): Source => ({ name: 'far', tools: new LiveShelf(names.map(name => remote(name))) })

  test('is unmounted by itself, whatever else has its name', async () => {
    const server = bare()
    const pack = server.mount({ name: 'far', features: [tool({ name: 'own' }, () => '')] })
    const { unmount } = server.mount(far('theirs'))
    unmount()
    unmount()
    expect(await namesOf(server)).toEqual(['own'])
    pack.unmount()
    expect(await namesOf(server)).toEqual([])
  })

  test('is replaced at its position, by a source or a pack, with the options it had', async () => {
    const server = bare()
    const first = server.mount(far('a'), { prefix: 'p_' })
    const last = new LiveShelf([{ ...remote('p_a'), run: says('last') }, remote('z')])
    server.mount({ name: 'last', tools: last })
    first.replace(far('a', 'b'))
    expect(await namesOf(server)).toEqual(['p_a', 'p_b', 'z'])
    expect(await connect(server).call('p_a')).toBe('a')
    const same: Pack = { name: 'pack', features: [tool({ name: 'c' }, () => 'c')], instructions: 'Mind c.' }
    first.replace(same)
    first.replace(same)
    expect(await namesOf(server)).toEqual(['p_c', 'p_a', 'z'])
    first.replace(far('d'), {})
    expect(await namesOf(server)).toEqual(['d', 'p_a', 'z'])
    first.unmount()
    expect(await namesOf(server)).toEqual(['p_a', 'z'])
    expect(() => first.replace(far('e'))).toThrow("'far' cannot replace what is no longer mounted")
  })

  test('stays if what should replace it is malformed', async () => {
    const server = bare().add(tool({ name: 'taken' }, () => ''))
    const shelf = new LiveShelf([remote('a')])
    const mount = server.mount({ name: 'far', tools: shelf })
    expect(() => mount.replace({ name: 'x', features: [tool({ name: 'taken' }, () => '')] })).toThrow('Duplicate name')
    expect(await namesOf(server)).toEqual(['taken', 'a'])
    expect(shelf.watched).toBe(true)
    mount.replace(far('b'))
    expect(shelf.watched).toBe(false)
  })
})

scenario('a replacement without tools is told of, too', tellsOfChanges, async (peer, server) => {
  const mount = server.mount({ name: 'new', tools: new LiveShelf([remote('three')]) })
  await peer.quiet()
  mount.replace({ name: 'new', resources: { list: () => [], find: () => undefined } })
  await peer.quiet()
  expect(peer.sent('notifications/tools/list_changed')).toHaveLength(2)
})

test('a feature of a pack can be removed like one that was added', async () => {
  const server = bare().add(pack)
  expect(server.remove('tool', 'tool')).toBe(true)
  expect(server.remove('tool', 'tool')).toBe(false)
  expect(await namesOf(server)).toEqual([])
})

test('a family that turns out not to have a URI leaves it to the next', async () => {
  const server = bare()
  server.mount(live(), { prefix: 'a_' })
  server.add(
    template({ uriTemplate: 'z://{a}', name: 'first' }, ({ a }) => (a === 'mine' ? 'first' : undefined)),
    template({ uriTemplate: 'z://{+b}', name: 'second' }, ({ b }) => (b === 'none' ? undefined : 'second')),
  )
  const client = connect(server)
  const read = async (uri: string): Promise<unknown> => (await client.request('resources/read', { uri })).contents
  expect(await read('z://mine')).toMatchObject([{ text: 'first' }])
  expect(await read('z://other')).toMatchObject([{ text: 'second' }])
  await expect(read('z://none')).rejects.toThrow('Resource not found: z://none')
})

test('instructions of a source are those it has when a client asks', async () => {
  const source = { ...live(), instructions: 'first' }
  const client = connect(bare().add(source))
  expect((await client.request('server/discover')).instructions).toBe('first')
  source.instructions = 'second'
  expect((await client.request('server/discover')).instructions).toBe('second')
})
