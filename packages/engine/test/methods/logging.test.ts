import { createServer, tool } from '@causeway/engine'
import type { LogLevel, Server, ServerOptions } from '@causeway/engine'
import { expect } from 'vitest'
import { P } from '../support/peer.ts'
import type { Peer } from '../support/peer.ts'
import { ALL, STATEFUL, scenario } from '../support/scenario.ts'

const LEVELS: readonly LogLevel[] = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency']

const noisy = (options: Partial<ServerOptions> = {}): Server =>
  createServer({ name: 's', version: '1', ...options }).add(
    tool({ name: 'shout' }, (_, ctx) => {
      for (const level of LEVELS) ctx.log(level, { said: level }, level === 'debug' ? 'detail' : undefined)
      return 'done'
    }),
    tool({ name: 'late' }, (_, ctx) => {
      setImmediate(() => ctx.log('error', 'too late'))
      return 'done'
    }),
  )

const levels = (peer: Peer): unknown[] => peer.sent('notifications/message').map(m => m.params?.level)

scenario(
  '[S-LOG-01] a session hears what is at least as loud as it asked, and info before it asks',
  { server: noisy, in: STATEFUL },
  async peer => {
    await peer.call('shout')
    expect(levels(peer)).toEqual(LEVELS.slice(1))
    for (const [i, level] of LEVELS.entries()) {
      peer.received.length = 0
      expect(await peer.result('logging/setLevel', { level })).toEqual({})
      await peer.call('shout')
      expect(levels(peer)).toEqual(LEVELS.slice(i))
    }
  },
)

scenario(
  '[S-LOG-01] a level that is none is refused and changes nothing',
  { server: noisy, in: STATEFUL },
  async peer => {
    await peer.result('logging/setLevel', { level: 'alert' })
    for (const level of ['loud', 'DEBUG', '', 3, null, undefined, 'toString']) {
      expect(await peer.error('logging/setLevel', { level })).toEqual({
        code: -32602,
        message: `Invalid params: "level" must be one of ${LEVELS.join(', ')}`,
      })
    }
    await peer.call('shout')
    expect(levels(peer)).toEqual(['alert', 'emergency'])
  },
)

scenario('[S-LOG-02] a request hears only what it asked to hear', { server: noisy, in: ['2026-07-28'] }, async peer => {
  await peer.call('shout')
  expect(levels(peer)).toEqual([])
  await peer.call('shout', {}, { [`${P}logLevel`]: 'error' })
  expect(levels(peer)).toEqual(LEVELS.slice(4))
  peer.received.length = 0
  await peer.call('shout')
  expect(levels(peer)).toEqual([])
})

scenario('[S-LOG-02] a level that is none is refused', { server: noisy, in: ['2026-07-28'] }, async peer => {
  for (const level of ['loud', 3, null]) {
    const refused = await peer.error('tools/call', { name: 'shout', _meta: { [`${P}logLevel`]: level } })
    expect(refused).toMatchObject({ code: -32602 })
  }
})

scenario('[S-LOG-01] a message says its level, who speaks, and its data', { server: noisy, in: ALL }, async peer => {
  if (!peer.stateless) await peer.result('logging/setLevel', { level: 'debug' })
  await peer.call('shout', {}, peer.stateless ? { [`${P}logLevel`]: 'debug' } : undefined)
  const [first, second] = peer.sent('notifications/message')
  expect(first?.params).toEqual({ level: 'debug', logger: 'detail', data: { said: 'debug' } })
  expect(second?.params).toEqual({ level: 'info', data: { said: 'info' } })
})

scenario(
  '[S-LOG-01] messages come before the answer they belong to, and none after it',
  { server: noisy, in: ALL },
  async peer => {
    const _meta = peer.stateless ? { [`${P}logLevel`]: 'debug' } : {}
    const id = peer.ask('tools/call', { name: 'shout', _meta })
    await peer.answered(id)
    expect(peer.received.at(-1)?.id).toBe(id)
    peer.received.length = 0
    await peer.call('late', {}, _meta)
    await peer.quiet()
    expect(peer.sent()).toEqual([])
  },
)

scenario(
  '[S-LOG-01] a server that does not offer log messages sends none',
  { server: () => noisy({ logging: false }), in: ALL },
  async peer => {
    await peer.call('shout', {}, peer.stateless ? { [`${P}logLevel`]: 'debug' } : undefined)
    await peer.quiet()
    expect(peer.sent()).toEqual([])
    if (!peer.stateless) expect(await peer.error('logging/setLevel', { level: 'info' })).toMatchObject({ code: -32601 })
  },
)

scenario('the level of one request does not leak into another', { server: noisy, in: ['2026-07-28'] }, async peer => {
  const loud = peer.ask('tools/call', { name: 'shout', _meta: { [`${P}logLevel`]: 'emergency' } })
  const silent = peer.ask('tools/call', { name: 'shout' })
  await Promise.all([peer.answered(loud), peer.answered(silent)])
  expect(levels(peer)).toEqual(['emergency'])
})
