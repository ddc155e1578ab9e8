import { createServer, tool } from '@causeway/engine'
import type { Params, Server } from '@causeway/engine'
import { expect } from 'vitest'
import { connections, pipes } from '../support/carriers.ts'
import { P, wordsOf } from '../support/peer.ts'
import type { Peer } from '../support/peer.ts'
import { ALL, STATEFUL, scenario } from '../support/scenario.ts'

const bare = (): Server =>
  createServer({ name: 's', version: '1' }).add(
    tool({ name: 't' }, () => 'ok'),
    tool({ name: 'who' }, (_, ctx) => ctx.client?.name ?? 'nobody'),
    tool({ name: 'slow' }, () => new Promise<string>(resolve => void setImmediate(() => resolve('slow')))),
  )
const NOT_READY = { code: -32600, message: 'Server not initialized. Send initialized notification first.' }
const HELLO = { capabilities: {}, clientInfo: { name: 'c', version: '1' } }
const hello = (peer: Peer): Promise<Params> => peer.result('initialize', { protocolVersion: peer.version, ...HELLO })
const STRICT = { server: bare, in: STATEFUL, handshake: false }

scenario('[S-LIFE-03] [S-PING-01] before the handshake only ping is answered', STRICT, async peer => {
  expect(await peer.result('ping')).toEqual({})
  for (const method of ['tools/list', 'tools/call', 'logging/setLevel', 'no/such/method']) {
    expect(await peer.error(method)).toEqual(NOT_READY)
  }
})

scenario(
  '[S-LIFE-03] [S-PING-01] between the two halves of the handshake only ping is answered',
  STRICT,
  async peer => {
    await hello(peer)
    expect(await peer.error('tools/list')).toEqual(NOT_READY)
    expect(await peer.result('ping')).toEqual({})
    peer.notify('notifications/initialized')
    expect(await peer.words('t')).toBe('ok')
  },
)

scenario('[S-LIFE-05] the notification without the request completes nothing', STRICT, async peer => {
  peer.notify('notifications/initialized')
  expect(await peer.error('tools/list')).toEqual(NOT_READY)
  await peer.initialize()
  expect(await peer.words('t')).toBe('ok')
})

scenario('[S-LIFE-15] a second initialize is refused, and the session goes on', STRICT, async peer => {
  await hello(peer)
  expect(await peer.error('initialize', HELLO)).toEqual({ code: -32600, message: 'Already initialized' })
  peer.notify('notifications/initialized')
  expect(await peer.error('initialize', { ...HELLO, protocolVersion: '2024-11-05' })).toEqual({
    code: -32600,
    message: 'Already initialized',
  })
  expect(await peer.words('who')).toBe('c')
})

scenario(
  '[S-LIFE-03] a lenient server answers before the handshake, and in the middle of it',
  { ...STRICT, lifecycle: 'lenient', in: ['2025-03-26'] },
  async peer => {
    expect(await peer.words('t')).toBe('ok')
    expect(await peer.words('who')).toBe('nobody')
    await hello(peer)
    expect(await peer.words('who')).toBe('c')
    expect(await peer.error('initialize', HELLO)).toMatchObject({ message: 'Already initialized' })
  },
)

scenario(
  '[S-LIFE-03] a lenient server takes on the revision of the handshake',
  { ...STRICT, lifecycle: 'lenient' },
  async peer => {
    await hello(peer)
    expect(await peer.result('tools/list')).toMatchObject({ tools: [{ name: 't' }, {}, {}] })
  },
)

scenario(
  '[S-PING-01] a ping is answered while work goes on',
  { server: bare, in: STATEFUL, over: connections },
  async peer => {
    const slow = peer.ask('tools/call', { name: 'slow' })
    const ping = peer.ask('ping')
    await peer.answered(slow)
    const order = peer.received.filter(m => m.id === slow || m.id === ping).map(m => m.id)
    expect(order).toEqual([ping, slow])
  },
)

const ENVELOPE = { [`${P}protocolVersion`]: '2026-07-28', [`${P}clientCapabilities`]: {} }
const enveloped = (id: string, method: string, params: Params = {}): Params => ({
  jsonrpc: '2.0',
  id,
  method,
  params: { ...params, _meta: { ...ENVELOPE, ...(params._meta as Params | undefined) } },
})

scenario('[S-LIFE-09] stateless requests are served beside the handshake, at any time', STRICT, async peer => {
  const ask = async (id: string): Promise<unknown> => {
    peer.send(enveloped(id, 'tools/call', { name: 'who' }))
    const { result } = await peer.answered(id)
    return { said: wordsOf(result ?? {}), resultType: result?.resultType }
  }
  const stateless = { said: 'nobody', resultType: 'complete' }
  expect(await ask('before')).toEqual(stateless)
  await hello(peer)
  expect(await ask('between')).toEqual(stateless)
  peer.notify('notifications/initialized')
  expect(await ask('after')).toEqual(stateless)
  expect(await peer.words('who')).toBe('c')
})

scenario(
  '[S-DISC-02] a prober without an envelope gets an error that sends it to the handshake',
  STRICT,
  async peer => {
    expect(await peer.error('server/discover')).toMatchObject({ code: -32602 })
    expect(await peer.error('subscriptions/listen', { notifications: {} })).toMatchObject({ code: -32602 })
    await peer.initialize()
    expect(await peer.error('server/discover')).toEqual({ code: -32601, message: 'Method not found: server/discover' })
  },
)

scenario('[S-DISC-02] [S-STD-05] a prober is answered, and may still shake hands', STRICT, async peer => {
  peer.send(enveloped('probe', 'server/discover'))
  const probed = await peer.answered('probe')
  expect(probed.result).toMatchObject({ resultType: 'complete' })
  expect(await hello(peer)).toMatchObject({ protocolVersion: peer.version })
})

scenario('[S-RPC-10] the methods of the other era do not exist', { server: bare, in: ALL }, async peer => {
  const gone = peer.stateless
    ? ['initialize', 'ping', 'logging/setLevel', 'resources/subscribe', 'resources/unsubscribe']
    : ['server/discover', 'subscriptions/listen']
  for (const method of [
    ...gone,
    'tasks/list',
    'roots/list',
    'sampling/createMessage',
    'notifications/initialized',
    'nonsense',
    '',
  ]) {
    expect(await peer.error(method), method).toEqual({ code: -32601, message: `Method not found: ${method}` })
  }
})

const bad = (key: string, what: string): object => ({
  code: -32602,
  message: `Invalid params: params._meta["${P}${key}"] must be ${what}`,
  data: { missing: `${P}${key}` },
})

scenario(
  '[S-LIFE-10] an envelope that is incomplete or of the wrong shape is refused',
  { server: bare, in: ['2026-07-28'] },
  async peer => {
    const refuse = async (envelope: Params): Promise<unknown> => {
      peer.send({ jsonrpc: '2.0', id: 'e', method: 'tools/list', params: { _meta: envelope } })
      const { error } = await peer.answered('e')
      peer.received.length = 0
      return error
    }
    const { [`${P}protocolVersion`]: version, [`${P}clientCapabilities`]: able } = ENVELOPE
    expect(await refuse({ [`${P}clientCapabilities`]: able })).toEqual(bad('protocolVersion', 'a string'))
    expect(await refuse({ ...ENVELOPE, [`${P}protocolVersion`]: 5 })).toEqual(bad('protocolVersion', 'a string'))
    expect(await refuse({ ...ENVELOPE, [`${P}protocolVersion`]: null })).toEqual(bad('protocolVersion', 'a string'))
    expect(await refuse({ [`${P}protocolVersion`]: version })).toEqual(bad('clientCapabilities', 'an object'))
    expect(await refuse({ ...ENVELOPE, [`${P}clientCapabilities`]: [] })).toEqual(
      bad('clientCapabilities', 'an object'),
    )
  },
)

scenario(
  '[S-LIFE-10] [S-LIFE-13] who the client is may be left out, or be nonsense',
  { server: bare, in: ['2026-07-28'] },
  async peer => {
    for (const clientInfo of [undefined, null, 'me', { version: '1' }, []]) {
      expect(await peer.call('who', {}, { [`${P}clientInfo`]: clientInfo })).toMatchObject({
        content: [{ text: 'nobody' }],
      })
    }
  },
)

scenario(
  '[S-LIFE-11] a version we do not have is refused with those we have',
  { server: bare, in: ['2026-07-28'] },
  async peer => {
    const refuse = (version: string): Promise<unknown> =>
      peer.error('tools/list', { _meta: { [`${P}protocolVersion`]: version } })
    const unsupported = (requested: string, supported: readonly string[]): object => ({
      code: -32022,
      message: 'Unsupported protocol version',
      data: { supported, requested },
    })
    for (const unknown of ['2099-01-01', 'v999.0.0', '', '__proto__']) {
      expect(await refuse(unknown)).toEqual(unsupported(unknown, ALL.toReversed()))
    }
    // One that needs a handshake must not be offered again, or the client would try for ever.
    for (const stateful of STATEFUL) expect(await refuse(stateful)).toEqual(unsupported(stateful, ['2026-07-28']))
  },
)

scenario('[S-STD-03] what is in flight at the end is answered', { server: bare, over: pipes }, async peer => {
  const id = peer.ask('tools/call', { name: 'slow' })
  await peer.close()
  expect((await peer.answered(id)).result).toMatchObject({ content: [{ text: 'slow' }] })
})
