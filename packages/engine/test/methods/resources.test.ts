import { createServer, resource, template } from '@causeway/engine'
import type { Server } from '@causeway/engine'
import { expect } from 'vitest'
import { P } from '../support/peer.ts'
import type { Peer } from '../support/peer.ts'
import { STATEFUL, scenario } from '../support/scenario.ts'
import { ICON, META, NOTES, showcase } from '../support/showcase.ts'

const since = (version: string, peer: Peer, members: object): object => (peer.version >= version ? members : {})
const notes = (peer: Peer): object =>
  peer.version < '2025-06-18' ? { audience: NOTES.audience, priority: NOTES.priority } : NOTES

scenario(
  '[S-RES-01] resources/list shows what the revision knows and nothing else',
  { server: showcase },
  async peer => {
    const { resources } = await peer.result('resources/list')
    expect((resources as object[])[0]).toEqual({
      uri: 'x://note',
      name: 'note',
      description: 'A note.',
      mimeType: 'text/plain',
      size: 5,
      annotations: notes(peer),
      ...since('2025-06-18', peer, { title: 'Note', _meta: META }),
      ...since('2025-11-25', peer, { icons: [ICON] }),
    })
  },
)

scenario('[S-RES-05] templates are listed apart from resources', { server: showcase }, async peer => {
  const { resourceTemplates } = await peer.result('resources/templates/list')
  expect(resourceTemplates).toEqual([
    {
      uriTemplate: 'plan://{year}/{name}',
      name: 'plan',
      description: 'A plan.',
      mimeType: 'text/plain',
      annotations: notes(peer),
      ...since('2025-06-18', peer, { title: 'Plan', _meta: META }),
      ...since('2025-11-25', peer, { icons: [ICON] }),
    },
  ])
  expect(((await peer.result('resources/list')).resources as { name: string }[]).map(r => r.name)).toEqual([
    'note',
    'raw',
    'many',
  ])
})

scenario(
  '[S-RES-01] [S-RES-04] a resource is read as text, as base64, or as several contents',
  { server: showcase },
  async peer => {
    const contents = async (uri: string): Promise<unknown> => (await peer.result('resources/read', { uri })).contents
    expect(await contents('x://note')).toEqual([{ uri: 'x://note', mimeType: 'text/plain', text: 'hello' }])
    expect(await contents('x://raw')).toEqual([{ uri: 'x://raw', mimeType: 'image/png', blob: 'AQID' }])
    expect(await contents('x://many')).toEqual([
      { uri: 'x://many/1', text: 'one', ...since('2025-06-18', peer, { _meta: META }) },
      { uri: 'x://many/2', blob: 'dHdv' },
    ])
  },
)

scenario(
  '[S-RES-04] a URI that follows a template is read through it, variables decoded',
  { server: showcase },
  async peer => {
    const read = await peer.result('resources/read', { uri: 'plan://2026/caf%C3%A9%20trip' })
    expect(read.contents).toEqual([
      { uri: 'plan://2026/caf%C3%A9%20trip', mimeType: 'text/plain', text: 'café trip in 2026' },
    ])
  },
)

scenario(
  '[S-RES-02] [S-ERR-03] what is not there is refused in the revision’s own code',
  { server: showcase },
  async peer => {
    const code = peer.stateless ? -32602 : -32002
    for (const uri of ['x://nowhere', 'plan://1900/any', 'plan://2026/a/b', 'not a uri', '']) {
      expect(await peer.error('resources/read', { uri })).toEqual({
        code,
        message: `Resource not found: ${uri}`,
        data: { uri },
      })
    }
    expect(await peer.error('resources/read', {})).toMatchObject({ code: -32602 })
    expect(await peer.error('resources/read', { uri: 7 })).toMatchObject({ code: -32602 })
  },
)

const overlapping = (): Server =>
  createServer({ name: 's', version: '1' }).add(
    template({ uriTemplate: 'f:///{+path}', name: 'some' }, ({ path }) => (path === 'a/b' ? 'first' : undefined)),
    template({ uriTemplate: 'f:///{a}/{b}', name: 'others' }, ({ a, b }) => `${a}-${b}`),
    template({ uriTemplate: 'q://find{?q,lang}', name: 'query' }, ({ q, lang }) => `${q ?? 'all'} ${lang ?? 'any'}`),
    resource({ uri: 'f:///x/y', name: 'fixed' }, () => 'fixed'),
  )

scenario(
  '[S-RES-04] a fixed resource comes before templates, and the first template that has it answers',
  { server: overlapping },
  async peer => {
    const text = async (uri: string): Promise<unknown> =>
      ((await peer.result('resources/read', { uri })).contents as { text: string }[])[0]?.text
    expect(await text('f:///x/y')).toBe('fixed')
    expect(await text('f:///a/b')).toBe('first')
    expect(await text('f:///c/d')).toBe('c-d')
    expect(await text('q://find?q=a%26b&lang=de')).toBe('a&b de')
    expect(await text('q://find?lang=de')).toBe('all de')
    expect(await text('q://find')).toBe('all any')
  },
)

scenario(
  'a reader that fails is masked, a kind without features does not exist',
  {
    server: () =>
      createServer({ name: 's', version: '1' }).add(
        resource({ uri: 'x://bad', name: 'bad' }, () => {
          throw new Error('secret path')
        }),
      ),
  },
  async peer => {
    const error = await peer.error('resources/read', { uri: 'x://bad' })
    expect(error.code).toBe(-32603)
    expect(error.message).toMatch(/^Internal error \(reference [\da-f]{8}\)$/)
    expect(await peer.error('tools/list')).toEqual({ code: -32601, message: 'Method not found: tools/list' })
    expect(await peer.error('prompts/list')).toMatchObject({ code: -32601 })
  },
)

scenario(
  '[S-RES-03] a subscribed resource is told of until it is unsubscribed',
  { server: showcase, in: STATEFUL },
  async (peer, server) => {
    expect(await peer.result('resources/subscribe', { uri: 'x://note' })).toEqual({})
    expect(await peer.result('resources/subscribe', { uri: 'plan://2026/x' })).toEqual({})
    server.updated('x://note')
    server.updated('x://raw')
    server.updated('plan://2026/x')
    await peer.quiet()
    expect(peer.sent().map(m => m.params)).toEqual([{ uri: 'x://note' }, { uri: 'plan://2026/x' }])
    expect(await peer.result('resources/unsubscribe', { uri: 'x://note' })).toEqual({})
    server.updated('x://note')
    await peer.quiet()
    expect(peer.sent('notifications/resources/updated')).toHaveLength(2)
  },
)

scenario('[S-RES-03] only what exists can be subscribed to', { server: showcase, in: STATEFUL }, async peer => {
  expect(await peer.error('resources/subscribe', { uri: 'x://nowhere' })).toMatchObject({
    code: -32002,
    data: { uri: 'x://nowhere' },
  })
  expect(await peer.error('resources/subscribe', {})).toMatchObject({ code: -32602 })
})

scenario(
  '[S-RES-03] without the capability there is no subscribing',
  { server: () => showcase({ subscribe: false }), in: STATEFUL },
  async peer => {
    expect(await peer.error('resources/subscribe', { uri: 'x://note' })).toMatchObject({ code: -32601 })
    expect(await peer.error('resources/unsubscribe', { uri: 'x://note' })).toMatchObject({ code: -32601 })
  },
)

scenario(
  '[S-CCH-01] [S-CCH-02] [S-CCH-03] lists and readings say how long they may be kept, in the newest revision only',
  { server: () => showcase({ cache: { ttlMs: 5000, cacheScope: 'public' }, pageSize: 1 }) },
  async peer => {
    const kept = ({ ttlMs, cacheScope }: Record<string, unknown>): unknown[] => [ttlMs, cacheScope]
    const expected = peer.stateless ? [5000, 'public'] : [undefined, undefined]
    const first = await peer.result('resources/list')
    expect(kept(first)).toEqual(expected)
    expect(kept(await peer.result('resources/list', { cursor: first.nextCursor }))).toEqual(expected)
    for (const list of ['tools/list', 'prompts/list', 'resources/templates/list']) {
      expect(kept(await peer.result(list))).toEqual(expected)
    }
    const read = await peer.result('resources/read', { uri: 'x://note' })
    expect(kept(read)).toEqual(peer.stateless ? [0, 'private'] : [undefined, undefined])
    expect(Object.keys(read)).toEqual(expect.arrayContaining(peer.stateless ? [`_meta`, 'resultType'] : ['contents']))
    if (peer.stateless) expect(read._meta).toHaveProperty([`${P}serverInfo`, 'name'], 'showcase')
  },
)
