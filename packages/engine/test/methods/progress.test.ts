import { createServer, tool } from '@causeway/engine'
import type { Server } from '@causeway/engine'
import { expect } from 'vitest'
import type { Peer } from '../support/peer.ts'
import { STATEFUL, from, scenario } from '../support/scenario.ts'

const working = (): Server =>
  createServer({ name: 's', version: '1' }).add(
    tool({ name: 'steps' }, (_, ctx) => {
      ctx.progress(0, 'begun', 2)
      ctx.progress(0.5)
      ctx.progress(0.5, 'again')
      ctx.progress(0.25, 'back')
      ctx.progress(Number.NaN)
      ctx.progress(2, 'done', 2)
      return 'done'
    }),
    tool({ name: 'endless' }, (_, ctx) => {
      ctx.progress(1)
      ctx.progress(Infinity)
      return 'done'
    }),
    tool({ name: 'late' }, (_, ctx) => {
      setImmediate(() => ctx.progress(99))
      return 'done'
    }),
    tool({ name: 'asks' }, async (_, ctx) => {
      ctx.progress(1)
      await ctx.roots()
      ctx.progress(2)
      await ctx.roots('again')
      ctx.progress(3)
      return 'done'
    }),
  )

const progress = (peer: Peer): unknown[] => peer.sent('notifications/progress').map(m => m.params)

scenario(
  '[S-PRG-01] progress goes to who asked, only rising, its words from 2025-03-26 on',
  { server: working },
  async peer => {
    await peer.call('steps')
    expect(peer.sent()).toEqual([])
    for (const progressToken of [0, '', 'abc', 7]) {
      peer.received.length = 0
      const id = peer.ask('tools/call', { name: 'steps', _meta: { progressToken } })
      await peer.answered(id)
      const words = (message: string): object => (peer.version === '2024-11-05' ? {} : { message })
      expect(progress(peer)).toEqual([
        { progressToken, progress: 0, total: 2, ...words('begun') },
        { progressToken, progress: 0.5 },
        { progressToken, progress: 2, total: 2, ...words('done') },
      ])
      expect(peer.received.at(-1)?.id).toBe(id)
    }
  },
)

scenario('[S-PRG-01] a token that is neither a string nor an integer gets none', { server: working }, async peer => {
  for (const progressToken of [null, true, 1.5, {}, []]) await peer.call('steps', {}, { progressToken })
  expect(peer.sent()).toEqual([])
})

scenario('[S-PRG-01] what JSON cannot write is not sent', { server: working }, async peer => {
  await peer.call('endless', {}, { progressToken: 1 })
  expect(progress(peer)).toEqual([{ progressToken: 1, progress: 1 }])
})

scenario('[S-PRG-02] after the answer there is no more progress', { server: working }, async peer => {
  await peer.call('late', {}, { progressToken: 1 })
  await peer.quiet()
  expect(peer.sent()).toEqual([])
})

scenario(
  '[S-PRG-01] progress keeps rising when a handler is run again',
  { server: working, in: STATEFUL, capabilities: { roots: {} }, answer: () => ({ roots: [] }) },
  async peer => {
    await peer.call('asks', {}, { progressToken: 'x' })
    expect(peer.sent('notifications/progress').map(m => m.params?.progress)).toEqual([1, 2, 3])
  },
)

scenario(
  '[S-PRG-01] in the stateless era every round is a request of its own',
  { server: working, in: from('2026-07-28'), capabilities: { roots: {} }, answer: () => ({ roots: [] }) },
  async peer => {
    await peer.call('asks', {}, { progressToken: 'x' })
    expect(peer.sent('notifications/progress').map(m => m.params?.progress)).toEqual([1, 1, 2, 1, 2, 3])
  },
)
