import { createServer, tool, versions } from '@causeway/engine'
import type { Params, Server } from '@causeway/engine'
import { expect, test } from 'vitest'
import { P } from '../support/peer.ts'
import type { Peer } from '../support/peer.ts'
import { ALL, STATEFUL, scenario } from '../support/scenario.ts'
import { ICON, showcase } from '../support/showcase.ts'

const bare = (): Server => createServer({ name: 's', version: '1' }).add(tool({ name: 't' }, () => 'ok'))
const CLIENT = { name: 'c', version: '1' }

const initialize = (peer: Peer, protocolVersion?: unknown, more: Params = {}): Promise<Params> =>
  peer.result('initialize', {
    ...(protocolVersion !== undefined && { protocolVersion }),
    capabilities: {},
    clientInfo: CLIENT,
    ...more,
  })

test('every published revision is offered, newest first', () => {
  expect(versions).toEqual(ALL.toReversed())
})

scenario(
  '[S-LIFE-01] initialize answers the version that was asked for',
  { server: showcase, in: STATEFUL, handshake: false },
  async peer => {
    const { protocolVersion, capabilities, serverInfo, instructions } = await initialize(peer, peer.version)
    expect(protocolVersion).toBe(peer.version)
    expect(instructions).toBe('Use it wisely.')
    expect(capabilities).toEqual({
      tools: { listChanged: true },
      prompts: { listChanged: true },
      resources: { listChanged: true, subscribe: true },
      ...(peer.version >= '2025-03-26' && { completions: {} }),
      logging: {},
    })
    expect(serverInfo).toEqual({
      name: 'showcase',
      version: '1.2.3',
      ...(peer.version >= '2025-06-18' && { title: 'Showcase' }),
      ...(peer.version >= '2025-11-25' && {
        description: 'Has one of everything.',
        websiteUrl: 'https://example.com',
        icons: [ICON],
      }),
    })
  },
)

for (const asked of ['2026-07-28', '2099-01-01', '1999-01-01', '2025-06-19', '', 'latest', '__proto__', undefined]) {
  scenario(
    `[S-LIFE-01] [S-LIFE-02] asked for ${JSON.stringify(asked)}, initialize answers the newest it has`,
    { server: bare, in: ['2025-11-25'], handshake: false },
    async peer => {
      expect(await initialize(peer, asked)).toMatchObject({ protocolVersion: '2025-11-25' })
    },
  )
}

for (const [newest, asked, answer] of [
  ['2025-06-18', '2025-11-25', '2025-06-18'],
  ['2025-06-18', 'unknown', '2025-06-18'],
  ['2025-06-18', '2025-03-26', '2025-03-26'],
  ['2024-11-05', '2025-11-25', '2024-11-05'],
  ['2025-11-25', '2025-11-25', '2025-11-25'],
] as const) {
  scenario(
    `[S-LIFE-01] a server whose newest is ${newest}, asked for ${asked}, answers ${answer}`,
    {
      server: () => createServer({ name: 's', version: '1', newest }).add(tool({ name: 't' }, () => 'ok')),
      in: [answer],
      handshake: false,
    },
    async peer => {
      expect(await initialize(peer, asked)).toMatchObject({ protocolVersion: answer })
      peer.notify('notifications/initialized')
      expect(await peer.words('t')).toBe('ok')
    },
  )
}

scenario(
  '[S-LIFE-07] a handshake of the wrong shape is refused and may be tried again',
  { server: bare, in: STATEFUL, handshake: false },
  async peer => {
    for (const params of [
      { protocolVersion: 5 },
      { protocolVersion: null },
      { protocolVersion: peer.version, capabilities: [] },
    ]) {
      expect(await peer.error('initialize', params)).toMatchObject({ code: -32602 })
    }
    peer.send({ jsonrpc: '2.0', id: 1, method: 'initialize', params: ['x'] })
    expect((await peer.answered(1)).error).toMatchObject({ code: -32602 })
    await peer.initialize()
    expect(await peer.words('t')).toBe('ok')
  },
)

scenario(
  '[S-RPC-11] unknown members of a handshake are ignored and not echoed',
  { server: bare, in: STATEFUL, handshake: false },
  async peer => {
    const result = await initialize(peer, peer.version, {
      futureThing: { a: 1 },
      capabilities: { somethingNew: { x: 1 } },
      clientInfo: 'nobody',
    })
    expect(JSON.stringify(result)).not.toMatch(/futureThing|somethingNew|nobody/)
  },
)

scenario(
  '[S-DISC-01] [S-DISC-02] server/discover says what there is',
  { server: () => showcase({ cache: { ttlMs: 1000, cacheScope: 'public' } }), in: ['2026-07-28'] },
  async peer => {
    expect(await peer.result('server/discover')).toEqual({
      resultType: 'complete',
      supportedVersions: versions,
      capabilities: {
        tools: { listChanged: true },
        prompts: { listChanged: true },
        resources: { listChanged: true, subscribe: true },
        completions: {},
        logging: {},
      },
      instructions: 'Use it wisely.',
      ttlMs: 1000,
      cacheScope: 'public',
      _meta: { [`${P}serverInfo`]: expect.objectContaining({ name: 'showcase', icons: [ICON] }) },
    })
  },
)

scenario(
  '[S-DISC-01] [S-LIFE-11] a server that offers less lists less, in discover and in refusals',
  { server: () => createServer({ name: 's', version: '1', newest: '2025-06-18' }), in: ['2026-07-28'] },
  async peer => {
    const offered = versions.filter(version => version !== '2025-11-25')
    expect(await peer.result('server/discover')).toMatchObject({ supportedVersions: offered })
    const { data } = await peer.error('server/discover', { _meta: { [`${P}protocolVersion`]: '2099-01-01' } })
    expect(data).toEqual({ supported: offered, requested: '2099-01-01' })
  },
)

const KINDS: readonly (readonly [string, readonly string[]])[] = [
  ['tools', ['tools/list', 'tools/call']],
  ['prompts', ['prompts/list', 'prompts/get']],
  ['resources', ['resources/list', 'resources/templates/list', 'resources/read']],
  ['completions', ['completion/complete']],
]

for (const [kind, server] of [
  ['everything', showcase],
  ['tools only', bare],
  ['nothing', () => createServer({ name: 's', version: '1', logging: false })],
] as const) {
  scenario(
    `[S-DISC-01] [S-LIFE-04] the capabilities of a server with ${kind} are what it answers to`,
    { server, handshake: false },
    async peer => {
      const { capabilities } = peer.stateless
        ? await peer.result('server/discover')
        : await initialize(peer, peer.version)
      const declared = capabilities as Params
      peer.notify('notifications/initialized')
      for (const [kind, methods] of KINDS) {
        // The oldest revision has completion, but no word for it.
        const has = kind in declared || (kind === 'completions' && peer.version === '2024-11-05' && server === showcase)
        for (const method of methods) {
          const { error } = await peer.request(method)
          expect(error?.code === -32601, method).toBe(!has)
        }
      }
      if (!peer.stateless) {
        const subscribes = (declared.resources as Params | undefined)?.subscribe === true
        expect((await peer.error('resources/subscribe')).code).toBe(subscribes ? -32602 : -32601)
        expect((await peer.error('logging/setLevel')).code).toBe('logging' in declared ? -32602 : -32601)
      }
    },
  )
}
