import { createServer, prompt, resource, template, tool } from '@causeway/engine'
import type { Server } from '@causeway/engine'
import { expect } from 'vitest'
import type { Peer } from '../support/peer.ts'
import { scenario } from '../support/scenario.ts'

const LETTERS = ['a', 'b', 'c', 'd', 'e']
const LISTS = [
  ['tools/list', 'tools'],
  ['prompts/list', 'prompts'],
  ['resources/list', 'resources'],
  ['resources/templates/list', 'resourceTemplates'],
] as const

const paged = (): Server =>
  createServer({ name: 's', version: '1', pageSize: 2 }).add(
    ...LETTERS.flatMap(name => [
      tool({ name }, () => name),
      prompt({ name }, () => name),
      resource({ uri: `x://${name}`, name }, () => name),
      template({ uriTemplate: `y://${name}/{z}`, name }, () => name),
    ]),
  )

interface Page {
  readonly names: readonly string[]
  readonly nextCursor?: string
}

async function page(peer: Peer, method: string, member: string, cursor?: string): Promise<Page> {
  const result = await peer.result(method, cursor === undefined ? {} : { cursor })
  const names = (result[member] as { name: string }[]).map(({ name }) => name)
  return { names, ...('nextCursor' in result && { nextCursor: result.nextCursor as string }) }
}

scenario('[S-PAG-01] every list comes in pages, and the last has no cursor', { server: paged }, async peer => {
  for (const [method, member] of LISTS) {
    const first = await page(peer, method, member)
    const second = await page(peer, method, member, first.nextCursor)
    const third = await page(peer, method, member, second.nextCursor)
    expect([first.names, second.names, third.names]).toEqual([['a', 'b'], ['c', 'd'], ['e']])
    expect(third).not.toHaveProperty('nextCursor')
    expect(await page(peer, method, member, first.nextCursor)).toEqual(second)
  }
})

const forged = (...cursor: unknown[]): string => Buffer.from(JSON.stringify(cursor)).toString('base64url')

scenario(
  '[S-PAG-01] a cursor of ours is taken, anything else refused; an empty one is one too',
  { server: paged },
  async peer => {
    const { nextCursor: foreign } = await page(peer, 'prompts/list', 'prompts')
    for (const cursor of [
      '',
      'nonsense',
      '!',
      foreign,
      5,
      null,
      {},
      forged(),
      forged('tools', 'c', -1),
      forged('tools', 'c', 0.5),
      forged('tools', 'c', '2'),
    ]) {
      expect(await peer.error('tools/list', { cursor }), JSON.stringify(cursor)).toEqual({
        code: -32602,
        message: 'Invalid params: unknown cursor. Start again without one.',
      })
    }
  },
)

scenario('[S-PAG-01] a cursor beyond the end is an empty page', { server: paged }, async peer => {
  expect(await page(peer, 'tools/list', 'tools', forged('tools', 'gone', 1e9))).toEqual({ names: [] })
})

/** What is removed between the first page (a, b) and the second, and what the second must then start with. */
const REMOVALS: readonly (readonly [string, readonly string[]])[] = [
  ['a', ['c', 'd']],
  ['b', ['c', 'd']],
  ['c', ['d', 'e']],
  ['ab', ['c', 'd']],
  ['d', ['c', 'e']],
  ['cde', []],
]

scenario(
  '[S-PAG-01] nothing is skipped or repeated when items go between pages',
  { server: paged },
  async (peer, server) => {
    for (const [removed, expected] of REMOVALS) {
      const { nextCursor } = await page(peer, 'tools/list', 'tools')
      for (const name of removed) server.remove('tool', name)
      expect((await page(peer, 'tools/list', 'tools', nextCursor)).names, `without ${removed}`).toEqual(expected)
      for (const name of LETTERS) server.remove('tool', name)
      server.add(...LETTERS.map(name => tool({ name }, () => name)))
    }
  },
)

scenario('[S-PAG-01] what is added meanwhile comes at the end', { server: paged }, async (peer, server) => {
  const first = await page(peer, 'tools/list', 'tools')
  server.add(tool({ name: 'f' }, () => 'f'))
  const second = await page(peer, 'tools/list', 'tools', first.nextCursor)
  expect((await page(peer, 'tools/list', 'tools', second.nextCursor)).names).toEqual(['e', 'f'])
})

scenario(
  '[S-PAG-01] a page that holds everything has no cursor',
  {
    server: () =>
      createServer({ name: 's', version: '1', pageSize: 2 }).add(
        tool({ name: 'a' }, () => ''),
        tool({ name: 'b' }, () => ''),
      ),
  },
  async peer => {
    expect(await page(peer, 'tools/list', 'tools')).toEqual({ names: ['a', 'b'] })
  },
)
