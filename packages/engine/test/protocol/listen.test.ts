import { createServer, prompt, resource, tool } from '@causeway/engine'
import type { Id, Params, Server } from '@causeway/engine'
import { expect } from 'vitest'
import { P } from '../support/peer.ts'
import type { Peer } from '../support/peer.ts'
import { STATEFUL, scenario } from '../support/scenario.ts'
import { showcase } from '../support/showcase.ts'

const NEWEST = { server: showcase, in: ['2026-07-28'] }
const TAG = `${P}subscriptionId`
const EVERYTHING = {
  toolsListChanged: true,
  promptsListChanged: true,
  resourcesListChanged: true,
  resourceSubscriptions: ['x://note', 'x://raw'],
}

/** Everything sent under one subscription, in order. */
const under = (peer: Peer, id: Id): string[] =>
  peer
    .sent()
    .filter(m => (m.params?._meta as Params | undefined)?.[TAG] === id)
    .map(m => String(m.method))

async function listen(peer: Peer, notifications: unknown, id: Id): Promise<unknown> {
  peer.ask('subscriptions/listen', { notifications }, id)
  const acknowledged = await peer.until(m => (m.params?._meta as Params | undefined)?.[TAG] === id)
  expect(acknowledged.method).toBe('notifications/subscriptions/acknowledged')
  return acknowledged.params?.notifications
}

const change = (server: Server): void => {
  server.add(
    tool({ name: 'new' }, () => ''),
    prompt({ name: 'new' }, () => ''),
    resource({ uri: 'x://new', name: 'new' }, () => ''),
  )
  server.updated('x://note')
  server.updated('x://many')
  server.remove('tool', 'new')
  server.remove('prompt', 'new')
  server.remove('resource', 'x://new')
}

scenario(
  '[S-SUB-01] [S-SUB-02] [S-SUB-03] a subscription is acknowledged first, then told what it asked for',
  NEWEST,
  async (peer, server) => {
    expect(await listen(peer, EVERYTHING, 1)).toEqual(EVERYTHING)
    change(server)
    await peer.quiet()
    expect(under(peer, 1).slice(1).sort()).toEqual([
      'notifications/prompts/list_changed',
      'notifications/resources/list_changed',
      'notifications/resources/updated',
      'notifications/tools/list_changed',
    ])
    expect(peer.sent('notifications/resources/updated')[0]?.params?.uri).toBe('x://note')
    expect(peer.sent()).toHaveLength(5)
  },
)

scenario('[S-SUB-04] nothing is told that was not asked for', NEWEST, async (peer, server) => {
  expect(
    await listen(peer, { toolsListChanged: true, promptsListChanged: false, resourceSubscriptions: [] }, 1),
  ).toEqual({ toolsListChanged: true })
  expect(await listen(peer, {}, 2)).toEqual({})
  expect(await listen(peer, { somethingNew: true, resourceSubscriptions: ['x://note'] }, 3)).toEqual({
    resourceSubscriptions: ['x://note'],
  })
  change(server)
  await peer.quiet()
  expect(under(peer, 1)).toEqual(['notifications/subscriptions/acknowledged', 'notifications/tools/list_changed'])
  expect(under(peer, 2)).toEqual(['notifications/subscriptions/acknowledged'])
  expect(under(peer, 3)).toEqual(['notifications/subscriptions/acknowledged', 'notifications/resources/updated'])
})

scenario(
  '[S-SUB-03] [S-SUB-05] [S-STD-07] several subscriptions share a pipe, told apart by id and its JSON type',
  NEWEST,
  async (peer, server) => {
    const ids: Id[] = [0, '', '0', 'abc', 7]
    for (const id of ids) await listen(peer, { toolsListChanged: true }, id)
    server.add(tool({ name: 'new' }, () => ''))
    await peer.quiet()
    for (const id of ids) {
      expect(under(peer, id)).toEqual(['notifications/subscriptions/acknowledged', 'notifications/tools/list_changed'])
    }
  },
)

scenario('[S-SUB-06] a cancelled subscription ends in silence, the others go on', NEWEST, async (peer, server) => {
  await listen(peer, { toolsListChanged: true }, 0)
  await listen(peer, { toolsListChanged: true }, 1)
  peer.notify('notifications/cancelled', { requestId: 0 })
  await peer.quiet()
  server.add(tool({ name: 'new' }, () => ''))
  await peer.quiet()
  expect(under(peer, 0)).toHaveLength(1)
  expect(under(peer, 1)).toHaveLength(2)
  expect(peer.received.some(m => m.id === 0)).toBe(false)
})

scenario(
  '[S-SUB-07] [S-SUB-08] at the end of the service each subscription gets its result',
  NEWEST,
  async (peer, server) => {
    for (const id of [0, 'b']) await listen(peer, { toolsListChanged: true }, id)
    await peer.close()
    for (const id of [0, 'b']) {
      const { result } = await peer.answered(id)
      expect(result).toMatchObject({ resultType: 'complete', _meta: { [TAG]: id } })
      expect(result).not.toHaveProperty('ttlMs')
    }
    server.add(tool({ name: 'late' }, () => ''))
    await Promise.resolve()
    expect(peer.sent('notifications/tools/list_changed')).toEqual([])
  },
)

scenario('[S-SUB-01] a filter that is none is refused, before any acknowledgement', NEWEST, async peer => {
  for (const notifications of [
    undefined,
    null,
    [],
    'tools',
    { resourceSubscriptions: 'x://note' },
    { resourceSubscriptions: [1] },
  ]) {
    expect(await peer.error('subscriptions/listen', { notifications })).toMatchObject({ code: -32602 })
  }
  expect(peer.sent()).toEqual([])
})

scenario(
  '[S-SUB-02] [S-SUB-10] only what the server offers is honoured',
  {
    server: () =>
      createServer({ name: 's', version: '1', listChanged: false, subscribe: false }).add(
        tool({ name: 'a' }, () => ''),
        resource({ uri: 'x://note', name: 'n' }, () => ''),
      ),
    in: ['2026-07-28'],
  },
  async (peer, server) => {
    expect(await listen(peer, EVERYTHING, 1)).toEqual({})
    const { capabilities } = await peer.result('server/discover')
    expect(capabilities).toMatchObject({
      tools: { listChanged: false },
      resources: { listChanged: false, subscribe: false },
    })
    server.add(tool({ name: 'b' }, () => ''))
    server.updated('x://note')
    await peer.quiet()
    expect(under(peer, 1)).toHaveLength(1)
  },
)

scenario(
  '[S-SUB-02] a kind the server does not have is not honoured',
  { server: () => createServer({ name: 's', version: '1' }).add(tool({ name: 'a' }, () => '')), in: ['2026-07-28'] },
  async peer => {
    expect(await listen(peer, EVERYTHING, 1)).toEqual({ toolsListChanged: true })
  },
)

scenario(
  '[S-SUB-05] stateless subscriptions live beside a session on one pipe',
  { server: showcase, in: STATEFUL },
  async (peer, server) => {
    const _meta = { [`${P}protocolVersion`]: '2026-07-28', [`${P}clientCapabilities`]: {} }
    const seen: unknown[] = []
    peer.send({
      jsonrpc: '2.0',
      id: 'l',
      method: 'subscriptions/listen',
      params: { notifications: { toolsListChanged: true }, _meta },
    })
    await peer.until(m => m.method === 'notifications/subscriptions/acknowledged')
    server.add(tool({ name: 'new' }, () => ''))
    await peer.quiet()
    for (const { params } of peer.sent('notifications/tools/list_changed')) seen.push(params)
    expect(seen).toEqual(expect.arrayContaining([undefined, { _meta: { [TAG]: 'l' } }]))
    expect(seen).toHaveLength(2)
    peer.notify('notifications/cancelled', { requestId: 'l' })
  },
)
