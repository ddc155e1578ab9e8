import { createServer, tool } from '@causeway/engine'
import type { Server } from '@causeway/engine'
import { expect } from 'vitest'
import { connections, pipes } from '../support/carriers.ts'
import { P } from '../support/peer.ts'
import type { ReceivedMessage, Peer } from '../support/peer.ts'
import { STATEFUL, from, scenario, until } from '../support/scenario.ts'

const server = (): Server =>
  createServer({ name: 's', version: '1' }).add(
    tool({ name: 't' }, () => 'ok'),
    tool({ name: 'fail' }, () => {
      throw new Error('no')
    }),
    tool({ name: 'lines' }, () => 'one\ntwo\r\nthree\u2028'),
    tool({ name: 'roots' }, async (_, ctx) => `${(await ctx.roots()).length}`),
  )

/** Send a text, and hear everything that comes of it. */
async function exchange(peer: Peer, text: unknown): Promise<ReceivedMessage[]> {
  peer.received.length = 0
  peer.batches.length = 0
  peer.send(text)
  const later = await peer.quiet()
  return peer.received.filter(({ id }) => id !== later)
}

/** The sizes of the arrays that came. */
const arrays = (peer: Peer): number[] => peer.batches.filter(size => size > 0)

scenario('[S-RPC-01] [S-RPC-02] ids come back as they were, type and all', { server }, async peer => {
  for (const id of [0, '', '0', 1, -1, 'a b', '∆', 9007199254740991, -9007199254740991, '__proto__']) {
    expect(await peer.request('tools/call', { name: 't' }, id)).toMatchObject({ jsonrpc: '2.0', id, result: {} })
    peer.received.length = 0
    expect(await peer.request('nonsense', {}, id)).toMatchObject({ jsonrpc: '2.0', id, error: { code: -32601 } })
    peer.received.length = 0
  }
})

scenario('[S-RPC-01] an answer has a result or an error, never both', { server }, async peer => {
  for (const answer of [await peer.request('tools/list'), await peer.request('tools/call', { name: 'fail' })]) {
    expect(answer).not.toHaveProperty('error')
  }
  expect(await peer.request('nonsense')).not.toHaveProperty('result')
})

/** How an answer says that it does not know whom it answers. */
const nobody = (peer: Peer): object => (peer.version < '2025-11-25' ? { id: null } : {})

scenario(
  '[S-RPC-02] [S-RPC-05] an id that is none is refused',
  { server, in: STATEFUL, over: connections },
  async peer => {
    for (const id of ['null', '1.5', '{}', '[]', 'true', 'false', '1e400', '9007199254740993']) {
      expect(await exchange(peer, `{"jsonrpc":"2.0","id":${id},"method":"ping"}`), id).toEqual([
        {
          jsonrpc: '2.0',
          ...nobody(peer),
          error: { code: -32600, message: 'Invalid Request: "id" must be a string or an integer' },
        },
      ])
    }
  },
)

scenario(
  '[S-RPC-05] nor does an answer to a stateless request name nobody',
  { server, in: ['2026-07-28'] },
  async peer => {
    const params = JSON.stringify(peer.envelope({}))
    for (const id of ['null', '1.5', '{}', 'true']) {
      expect(await exchange(peer, `{"jsonrpc":"2.0","id":${id},"method":"tools/list","params":${params}}`)).toEqual([
        { jsonrpc: '2.0', error: { code: -32600, message: 'Invalid Request: "id" must be a string or an integer' } },
      ])
    }
  },
)

const BROKEN: readonly (readonly [string, string])[] = [
  ['5', 'a message must be a JSON object'],
  ['"text"', 'a message must be a JSON object'],
  ['null', 'a message must be a JSON object'],
  ['{}', '"jsonrpc" must be "2.0"'],
  ['{"jsonrpc":"1.0","method":"ping"}', '"jsonrpc" must be "2.0"'],
  ['{"jsonrpc":2.0,"method":"ping"}', '"jsonrpc" must be "2.0"'],
  ['{"jsonrpc":"2.0"}', '"method" must be a string'],
  ['{"jsonrpc":"2.0","method":1,"params":"bar"}', '"method" must be a string'],
]

scenario(
  '[S-RPC-05] [S-RPC-10] what is no message is an invalid request',
  { server, in: STATEFUL, over: connections },
  async peer => {
    for (const [text, why] of BROKEN) {
      expect(await exchange(peer, text), text).toEqual([
        { jsonrpc: '2.0', ...nobody(peer), error: { code: -32600, message: `Invalid Request: ${why}` } },
      ])
    }
  },
)

scenario(
  '[S-RPC-10] an invalid request whose id can be read is answered under it',
  { server, in: STATEFUL },
  async peer => {
    for (const fields of [
      '"method":"ping"',
      '"jsonrpc":"2.0","method":7',
      '"jsonrpc":"2.0","method":"ping","params":"x"',
      '"jsonrpc":"2.0","method":"ping","params":null',
    ]) {
      const [answer] = await exchange(peer, `{"id":7,${fields}}`)
      expect(answer).toMatchObject({ id: 7, error: { code: -32600 } })
    }
  },
)

scenario(
  '[S-RPC-05] [S-RPC-10] [S-STD-06] what cannot be parsed is a parse error, and the next message is served',
  { server, in: STATEFUL, over: connections },
  async peer => {
    for (const text of [
      '{',
      'nonsense',
      '{"jsonrpc": "2.0", "method": "foobar, "params": "bar", "baz]',
      '[1,',
      '{"a":undefined}',
      "{'a':1}",
    ]) {
      expect(await exchange(peer, text), text).toEqual([
        {
          jsonrpc: '2.0',
          ...nobody(peer),
          error: { code: -32700, message: 'Parse error', data: { detail: expect.any(String) } },
        },
      ])
    }
  },
)

scenario('[S-RPC-10] parameters by position are no parameters of ours', { server, in: STATEFUL }, async peer => {
  const [answer] = await exchange(peer, '{"jsonrpc":"2.0","id":7,"method":"tools/list","params":[1,2]}')
  expect(answer).toEqual({
    jsonrpc: '2.0',
    id: 7,
    error: { code: -32602, message: 'Invalid params: "params" must be an object, not an array' },
  })
})

scenario('[S-RPC-04] a notification is never answered, however wrong it is', { server }, async peer => {
  for (const method of [
    'tools/call',
    'tools/list',
    'initialize',
    'nonsense',
    'notifications/cancelled',
    'notifications/roots/list_changed',
  ]) {
    for (const params of [undefined, {}, [], 'x', 5, null]) {
      expect(await exchange(peer, { jsonrpc: '2.0', method, params }), method).toEqual([])
    }
  }
})

scenario('[S-RPC-11] unknown members are ignored and not echoed', { server }, async peer => {
  const params = { ...peer.envelope({ name: 't', future: 1 }), more: { x: 1 } }
  const [answer] = await exchange(peer, { jsonrpc: '2.0', id: 1, method: 'tools/call', params, extra: true })
  expect(answer).toMatchObject({ id: 1, result: { content: [{ text: 'ok' }] } })
  expect(JSON.stringify(answer)).not.toMatch(/future|more|extra/)
})

scenario(
  '[S-STD-01] a message is a line, whatever stands in it, and may end like a line of Windows',
  { server },
  async peer => {
    const params = peer.envelope({ name: 'lines' })
    peer.send(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })}\r`)
    expect((await peer.answered(1)).result).toMatchObject({ content: [{ text: 'one\ntwo\r\nthree\u2028' }] })
  },
)

const ping = (id: unknown): object => ({ jsonrpc: '2.0', id, method: 'ping' })
const note = { jsonrpc: '2.0', method: 'notify_hello', params: [7] }
const invalid = {
  jsonrpc: '2.0',
  id: null,
  error: { code: -32600, message: expect.stringMatching(/^Invalid Request: /) },
}
const BATCHED = { server, in: until('2025-06-18') }
// What /mcp refuses as a whole has another status and no id: http/batches.test.ts.
const FRAMED = { ...BATCHED, over: connections }

scenario(
  '[S-RPC-06] [S-RPC-07] [S-RPC-08] [S-RPC-09] a batch is answered by a batch, its notifications by nothing',
  BATCHED,
  async peer => {
    const heard = await exchange(peer, [
      ping(0),
      note,
      ping(''),
      { jsonrpc: '2.0', id: 'x', method: 'nonsense' },
      { foo: 'boo' },
      1,
    ])
    expect(heard).toEqual([
      { jsonrpc: '2.0', id: 0, result: {} },
      { jsonrpc: '2.0', id: '', result: {} },
      { jsonrpc: '2.0', id: 'x', error: { code: -32601, message: 'Method not found: nonsense' } },
      invalid,
      invalid,
    ])
    expect(arrays(peer)).toEqual([5])
  },
)

/** The examples of the JSON-RPC 2.0 specification, section 7, that end in nothing or in an error whatever methods exist. */
scenario('[S-RPC-08] the published examples of JSON-RPC 2.0', { ...BATCHED, over: pipes }, async peer => {
  expect(await exchange(peer, '[]')).toEqual([invalid])
  expect(arrays(peer)).toEqual([])
  expect(await exchange(peer, '[1]')).toEqual([invalid])
  expect(arrays(peer)).toEqual([1])
  expect(await exchange(peer, '[1,2,3]')).toEqual([invalid, invalid, invalid])
  expect(arrays(peer)).toEqual([3])
  expect(
    await exchange(
      peer,
      '[{"jsonrpc": "2.0", "method": "sum", "params": [1,2,4], "id": "1"},{"jsonrpc": "2.0", "method"]',
    ),
  ).toMatchObject([{ id: null, error: { code: -32700 } }])
  expect(
    await exchange(
      peer,
      '[{"jsonrpc": "2.0", "method": "notify_sum", "params": [1,2,4]},{"jsonrpc": "2.0", "method": "notify_hello", "params": [7]}]',
    ),
  ).toEqual([])
  expect(await exchange(peer, '{"jsonrpc": "2.0", "method": "update", "params": [1,2,3,4,5]}')).toEqual([])
  expect(await exchange(peer, '{"jsonrpc": "2.0", "method": "foobar", "id": "1"}')).toMatchObject([
    { id: '1', error: { code: -32601 } },
  ])
  const mixed = [
    { jsonrpc: '2.0', method: 'sum', params: [1, 2, 4], id: '1' },
    { jsonrpc: '2.0', method: 'notify_hello', params: [7] },
    { jsonrpc: '2.0', method: 'subtract', params: [42, 23], id: '2' },
    { foo: 'boo' },
    { jsonrpc: '2.0', method: 'foo.get', params: { name: 'myself' }, id: '5' },
    { jsonrpc: '2.0', method: 'get_data', id: '9' },
  ]
  const answers = await exchange(peer, mixed)
  expect(answers.map(({ id, error }) => [id, error?.code])).toEqual([
    ['1', -32601],
    ['2', -32601],
    [null, -32600],
    ['5', -32601],
    ['9', -32601],
  ])
})

scenario(
  '[S-RPC-06] answers to our questions may come in a batch',
  { ...BATCHED, capabilities: { roots: {} } },
  async peer => {
    const ids = [peer.ask('tools/call', { name: 'roots' }), peer.ask('tools/call', { name: 'roots' })]
    await peer.until(() => peer.sent('roots/list').length === 2)
    peer.send(peer.sent('roots/list').map(({ id }) => ({ jsonrpc: '2.0', id, result: { roots: [] } })))
    for (const id of ids) expect((await peer.answered(id)).result).toMatchObject({ content: [{ text: '0' }] })
  },
)

scenario('[S-RPC-06] initialize cannot be part of a batch', { ...BATCHED, handshake: false }, async peer => {
  const params = { protocolVersion: peer.version, capabilities: {}, clientInfo: { name: 'c', version: '1' } }
  expect(
    await exchange(peer, [
      { jsonrpc: '2.0', id: 1, method: 'initialize', params },
      ping(2),
      { jsonrpc: '2.0', method: 'initialize', params },
    ]),
  ).toEqual([
    {
      jsonrpc: '2.0',
      id: 1,
      error: { code: -32600, message: 'Invalid Request: initialize cannot be part of a batch' },
    },
    { jsonrpc: '2.0', id: 2, result: {} },
  ])
  await peer.initialize()
})

scenario('[S-RPC-07] a batch may not grow without bound', FRAMED, async peer => {
  const [answer, ...more] = await exchange(
    peer,
    Array.from({ length: 1001 }, (_, i) => ping(i)),
  )
  expect(answer?.error).toEqual({ code: -32600, message: 'Invalid Request: a batch may hold at most 1000 messages' })
  expect(more).toEqual([])
})

const NONE = { code: -32600, message: 'Invalid Request: this revision of the protocol has no batches' }

scenario('[S-RPC-07] newer revisions have no batches', { ...FRAMED, in: from('2025-06-18') }, async peer => {
  const batch = peer.stateless ? [{ ...ping(1), params: peer.envelope({}) }] : [ping(1)]
  const heard = await exchange(peer, batch)
  // Without a handshake an array is of no revision, so JSON-RPC alone says how it is refused.
  expect(heard).toEqual([{ jsonrpc: '2.0', ...(peer.stateless ? { id: null } : nobody(peer)), error: NONE }])
  expect((await exchange(peer, '[]'))[0]?.error).toMatchObject({ code: -32600 })
})

scenario('[S-RPC-07] a stateless request cannot hide in a batch', FRAMED, async peer => {
  const _meta = { [`${P}protocolVersion`]: '2026-07-28', [`${P}clientCapabilities`]: {} }
  const heard = await exchange(peer, [ping(1), { jsonrpc: '2.0', id: 2, method: 'tools/list', params: { _meta } }])
  expect(heard.map(m => m.error)).toEqual([NONE])
})
