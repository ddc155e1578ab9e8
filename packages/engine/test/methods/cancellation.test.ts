import { createServer, prompt, resource, tool } from '@causeway/engine'
import type { Server } from '@causeway/engine'
import { expect } from 'vitest'
import { carriers } from '../support/carriers.ts'
import { Peer } from '../support/peer.ts'
import { STATEFUL, scenario } from '../support/scenario.ts'

/** What the handlers of one server went through. */
const diaries = new WeakMap<Server, string[]>()
const diaryOf = (server: Server): string[] => diaries.get(server) ?? []

/** Tools that wait for their signal, or for nothing. */
function waiting(): Server {
  const diary: string[] = []
  const aborted = (signal: AbortSignal): Promise<never> =>
    new Promise((_, reject) => {
      diary.push('started')
      signal.addEventListener('abort', () => {
        diary.push(`aborted: ${(signal.reason as Error).message}`)
        reject(signal.reason as Error)
      })
    })
  const server = createServer({ name: 's', version: '1' }).add(
    tool({ name: 'wait' }, (_, { signal }) => aborted(signal)),
    tool({ name: 'deaf' }, () => {
      diary.push('started')
      return new Promise<never>(() => {})
    }),
    tool({ name: 'quick' }, () => 'quick'),
    tool({ name: 'asks' }, async (_, ctx) => {
      diary.push('started')
      return String((await ctx.roots()).length)
    }),
    prompt({ name: 'wait' }, (_, { signal }) => aborted(signal)),
    resource({ uri: 'x://wait', name: 'wait' }, ({ signal }) => aborted(signal)),
  )
  diaries.set(server, diary)
  return server
}

/** What a handler is told whose request was cancelled with that reason. */
const abortedWith = ({ carrier }: Peer, reason: string): string =>
  `aborted: ${carrier.leavesToCancel ? 'The client disconnected' : reason}`

scenario('[S-CAN-01] a cancelled request is stopped and never answered', { server: waiting }, async (peer, server) => {
  const ids = [
    peer.ask('tools/call', { name: 'wait' }, 0),
    peer.ask('tools/call', { name: 'deaf' }, ''),
    peer.ask('prompts/get', { name: 'wait' }, 'p'),
    peer.ask('resources/read', { uri: 'x://wait' }, 12),
  ]
  await peer.quiet()
  for (const requestId of ids) peer.notify('notifications/cancelled', { requestId, reason: 'enough' })
  await peer.quiet()
  expect(diaryOf(server).sort()).toEqual([...Array(3).fill(abortedWith(peer, 'enough')), ...Array(4).fill('started')])
  expect(peer.received.filter(m => m.id !== undefined && ids.includes(m.id ?? 'none'))).toEqual([])
})

scenario('[S-CAN-01] the reason may be missing', { server: waiting }, async (peer, server) => {
  const requestId = peer.ask('tools/call', { name: 'wait' })
  peer.notify('notifications/cancelled', { requestId })
  await peer.quiet()
  expect(diaryOf(server)).toEqual(['started', abortedWith(peer, 'The client cancelled the request')])
})

scenario('[S-CAN-01] a cancellation that names nothing is ignored', { server: waiting }, async (peer, server) => {
  const running = peer.ask('tools/call', { name: 'wait' }, 7)
  await peer.request('tools/call', { name: 'quick' }, 8)
  for (const params of [
    { requestId: 'unknown' },
    { requestId: '7' },
    { requestId: 8 },
    { requestId: null },
    { requestId: {} },
    {},
    undefined,
  ]) {
    peer.notify('notifications/cancelled', params)
  }
  peer.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: [7] })
  await peer.quiet()
  expect(diaryOf(server)).toEqual(['started'])
  peer.notify('notifications/cancelled', { requestId: running })
  await peer.quiet()
  expect(diaryOf(server)).toHaveLength(2)
})

scenario('[S-CAN-01] an id is free again after its request was cancelled', { server: waiting }, async peer => {
  peer.ask('tools/call', { name: 'deaf' }, 5)
  await peer.quiet()
  peer.notify('notifications/cancelled', { requestId: 5 })
  expect(await peer.request('tools/call', { name: 'quick' }, 5)).toMatchObject({
    id: 5,
    result: { content: [{ text: 'quick' }] },
  })
})

scenario(
  '[S-CAN-04] one connection cannot cancel the requests of another',
  { server: waiting },
  async (peer, server) => {
    const all = carriers.filter(carrier => carrier.carries(peer))
    for (const carrier of all) {
      const other = new Peer(carrier, server, peer.version)
      await other.initialize()
      other.ask('tools/call', { name: 'wait' }, 1)
      await other.quiet()
      peer.notify('notifications/cancelled', { requestId: 1 })
      await peer.quiet()
      other.notify('notifications/cancelled', { requestId: 1, reason: 'mine' })
      await other.quiet()
      expect(diaryOf(server).splice(0)).toEqual(['started', abortedWith(other, 'mine')])
      await other.close()
    }
    expect(all.length).toBe(4)
  },
)

scenario(
  '[S-CAN-01] cancelling a call withdraws the question it waits for',
  { server: waiting, in: STATEFUL, capabilities: { roots: {} } },
  async peer => {
    const requestId = peer.ask('tools/call', { name: 'asks' })
    const question = await peer.until(m => m.method === 'roots/list')
    peer.notify('notifications/cancelled', { requestId, reason: 'enough' })
    const withdrawn = await peer.until(m => m.method === 'notifications/cancelled')
    expect(withdrawn.params).toEqual({ requestId: question.id, reason: 'enough' })
    peer.send({ jsonrpc: '2.0', id: question.id, result: { roots: [] } })
    await peer.quiet()
    expect(peer.received.some(m => m.id === requestId)).toBe(false)
  },
)

scenario(
  '[S-LIFE-06] initialize cannot be cancelled',
  { server: waiting, in: STATEFUL, handshake: false },
  async peer => {
    const id = peer.ask('initialize', {
      protocolVersion: peer.version,
      capabilities: {},
      clientInfo: { name: 'c', version: '1' },
    })
    peer.notify('notifications/cancelled', { requestId: id })
    expect((await peer.answered(id)).result).toMatchObject({ protocolVersion: peer.version })
  },
)

scenario(
  '[S-CAN-03] the server itself cancels nothing in the stateless era',
  { server: waiting, in: ['2026-07-28'], capabilities: { roots: {} } },
  async peer => {
    expect((await peer.request('tools/call', { name: 'asks' })).result).toMatchObject({ resultType: 'input_required' })
    const requestId = peer.ask('tools/call', { name: 'wait' })
    peer.notify('notifications/cancelled', { requestId })
    await peer.quiet()
    expect(peer.sent()).toEqual([])
  },
)
