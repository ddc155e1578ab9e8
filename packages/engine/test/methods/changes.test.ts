import { createServer, prompt, resource, template, tool } from '@causeway/engine'
import type { Feature, Server } from '@causeway/engine'
import { expect } from 'vitest'
import type { Peer } from '../support/peer.ts'
import { ALL, STATEFUL, scenario } from '../support/scenario.ts'
import { showcase } from '../support/showcase.ts'

const methodsSent = (peer: Peer): string[] => peer.sent().map(m => String(m.method))
const extra = (name: string): Feature => tool({ name }, () => name)

scenario(
  '[S-TOOL-01] what is added while serving can be used and is told of',
  { server: showcase, in: STATEFUL },
  async (peer, server) => {
    server.add(extra('new'))
    await peer.quiet()
    expect(methodsSent(peer)).toEqual(['notifications/tools/list_changed'])
    expect(await peer.words('new')).toBe('new')
    expect(server.remove('tool', 'new')).toBe(true)
    expect(server.remove('tool', 'new')).toBe(false)
    await peer.quiet()
    expect(methodsSent(peer)).toEqual(Array(2).fill('notifications/tools/list_changed'))
    expect(await peer.error('tools/call', { name: 'new' })).toMatchObject({
      code: -32602,
      message: 'Unknown tool: new',
    })
  },
)

scenario(
  '[S-TOOL-01] changes of one turn are told once, each list for itself',
  { server: showcase, in: STATEFUL },
  async (peer, server) => {
    server.add(extra('one'), extra('two'))
    server.remove('tool', 'one')
    server.add(prompt({ name: 'p2' }, () => 'x'))
    server.add(
      resource({ uri: 'x://2', name: 'r2' }, () => 'x'),
      template({ uriTemplate: 't://{a}', name: 't2' }, () => 'x'),
    )
    await peer.quiet()
    expect(methodsSent(peer).sort()).toEqual([
      'notifications/prompts/list_changed',
      'notifications/resources/list_changed',
      'notifications/tools/list_changed',
    ])
  },
)

scenario(
  '[S-LIFE-05] nothing is told before the client said it is ready',
  { server: showcase, in: STATEFUL, handshake: false },
  async (peer, server) => {
    server.add(extra('before'))
    await peer.result('initialize', {
      protocolVersion: peer.version,
      capabilities: {},
      clientInfo: { name: 'c', version: '1' },
    })
    server.add(extra('between'))
    server.updated('x://note')
    await peer.quiet()
    expect(methodsSent(peer)).toEqual([])
    peer.notify('notifications/initialized')
    peer.notify('notifications/initialized')
    await peer.quiet()
    server.add(extra('after'))
    await peer.quiet()
    expect(methodsSent(peer)).toEqual(['notifications/tools/list_changed'])
  },
)

scenario(
  'a server that promised not to tell does not',
  { server: () => showcase({ listChanged: false }), in: STATEFUL },
  async (peer, server) => {
    server.add(extra('new'))
    await peer.quiet()
    expect(methodsSent(peer)).toEqual([])
  },
)

scenario(
  '[S-TOOL-01] when the last tool goes the list is empty, and that is told',
  { server: () => createServer({ name: 's', version: '1' }).add(extra('only')), in: ALL },
  async (peer, server) => {
    server.remove('tool', 'only')
    await peer.quiet()
    expect(methodsSent(peer)).toEqual(peer.stateless ? [] : ['notifications/tools/list_changed'])
    expect(await peer.result('tools/list')).toMatchObject({ tools: [] })
  },
)

scenario(
  '[S-LIFE-04] a kind that was not declared is not told of',
  { server: () => createServer({ name: 's', version: '1' }).add(extra('only')), in: STATEFUL },
  async (peer, server) => {
    server.add(prompt({ name: 'p' }, () => 'x'))
    await peer.quiet()
    expect(methodsSent(peer)).toEqual([])
    expect((await peer.result('prompts/list')).prompts).toHaveLength(1)
  },
)

scenario(
  'a kind can be declared before there is anything of it',
  { server: (): Server => createServer({ name: 's', version: '1', declare: ['tools'] }), in: STATEFUL },
  async (peer, server) => {
    expect((await peer.result('tools/list')).tools).toEqual([])
    server.add(extra('first'))
    await peer.quiet()
    expect(methodsSent(peer)).toEqual(['notifications/tools/list_changed'])
  },
)

scenario('a client that went away is told nothing more', { server: showcase, in: STATEFUL }, async (peer, server) => {
  await peer.result('resources/subscribe', { uri: 'x://note' })
  await peer.close()
  server.add(extra('new'))
  server.updated('x://note')
  await Promise.resolve()
  expect(methodsSent(peer)).toEqual([])
})
