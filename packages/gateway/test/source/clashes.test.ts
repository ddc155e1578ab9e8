import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { tool } from '@causeway/engine'
import type { Params } from '@causeway/engine'
import type { Target } from '@causeway/engine/client'
import { connect } from '@causeway/engine/testing'

import type { GatewayOptions } from '@causeway/gateway'
import { describe, expect, test } from 'vitest'
import { scripted } from '../support/scripted.ts'
import { configsOf, gatewayTo } from '../support/world.ts'

/** A server with tools, and prompts, of these names, each of which says whose it is. */
const having = (server: string, ...names: string[]): { asked: string[]; reach: () => Target } =>
  scripted({
    capabilities: { tools: {}, prompts: {} },
    result: method => {
      if (method === 'prompts/list') return { prompts: names.map(name => ({ name })) }
      if (method === 'prompts/get') return { messages: [{ role: 'user', content: { type: 'text', text: server } }] }
      if (method === 'tools/list') return { tools: names.map(name => ({ name, inputSchema: { type: 'object' } })) }
      return method === 'tools/call' ? { content: [{ type: 'text', text: server }] } : {}
    },
  })

const SAME = ["same: 'first' has a tool of that name", "same: 'first' has a prompt of that name"]
const BARE = { command: 'none', revision: '2025-11-25', prefix: false }

async function behind(
  servers: Readonly<Record<string, ReturnType<typeof having>>>,
  { entries = {}, ...options }: GatewayOptions & { entries?: Params } = {},
) {
  const lines: unknown[] = []
  const reach = ({ name }: { name: string }): Target | undefined => servers[name]?.reach()
  const all = { ...Object.fromEntries(Object.keys(servers).map(name => [name, BARE])), ...entries }
  const log: GatewayOptions['log'] = (level, message, details) => {
    if (level === 'error') lines.push(`${message}: ${JSON.stringify(details)}`)
  }
  const own = tool({ name: 'own' }, () => 'ours')
  const { server, gateway } = await gatewayTo(all, { reach, log, ...options }, [own])
  return { server, gateway, lines, client: connect(server) }
}

describe('two servers without a prefix that have a tool of one name', () => {
  test.each([
    ['first', 'second'],
    ['second', 'first'],
  ])('the one that is first in the file has it, whoever is known first: %s, then %s', async (...order) => {
    const { gateway, client, lines } = await behind({
      first: having('first', 'same'),
      second: having('second', 'same', 'more'),
    })
    for (const name of order) await gateway.servers.get(name)?.refresh()
    const { tools } = (await client.request('tools/list')) as { tools?: Params[] }
    expect(tools?.map(({ name }) => name).toSorted()).toEqual(['more', 'own', 'same'])
    expect(await client.call('same')).toBe('first')
    const { prompts } = (await client.request('prompts/list')) as { prompts?: Params[] }
    expect(prompts?.map(({ name }) => name).toSorted()).toEqual(['more', 'same'])
    const got = await client.request('prompts/get', { name: 'same' })
    expect(got.messages).toMatchObject([{ content: { text: 'first' } }])
    expect(gateway.status[1]).toMatchObject({ clashes: SAME })
    expect(lines).toHaveLength(1)
    expect(lines[0]).toContain('"server":"second"')
  })

  test('also where their lists are those of an earlier run', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'lists-'))
    const servers = { first: having('first', 'same'), second: having('second', 'same') }
    const earlier = await behind(servers, { folder })
    for (const upstream of earlier.gateway.servers.values()) await upstream.refresh()
    await earlier.gateway.close()
    const { gateway, lines } = await behind(servers, { folder })
    expect(gateway.status[1]).toMatchObject({ state: 'idle', clashes: SAME })
    expect(lines).toHaveLength(1)
  })

  test('a tool of our own comes first; another name for a tool ends the clash', async () => {
    const entries = { up: { ...BARE, rename: { other: 'renamed' } } }
    const { gateway, client } = await behind(
      { first: having('first', 'other'), up: having('up', 'own', 'other') },
      { entries },
    )
    for (const upstream of gateway.servers.values()) await upstream.refresh()
    expect(await client.call('own')).toBe('ours')
    expect([await client.call('other'), await client.call('renamed')]).toEqual(['first', 'up'])
    expect(gateway.status[1]).toMatchObject({
      clashes: ["own: 'gateway' has a tool of that name", "other: 'first' has a prompt of that name"],
    })
  })
})

test('a server without a prefix cannot take the names of one that has it, wherever it stands in the file', async () => {
  const entries = { up: { command: 'none', revision: '2025-11-25' } }
  const { gateway, client } = await behind(
    { thief: having('thief', 'up__echo', 'up__never'), up: having('up', 'echo') },
    { entries },
  )
  await gateway.servers.get('thief')?.refresh()
  await expect(client.call('up__never')).rejects.toThrow('up__never')
  await gateway.servers.get('up')?.refresh()
  expect(await client.call('up__echo')).toBe('up')
  const got = await client.request('prompts/get', { name: 'up__echo' })
  expect(got.messages).toMatchObject([{ content: { text: 'up' } }])
  expect(gateway.status[0]).toMatchObject({
    clashes: [
      "up__echo: 'up' has a tool of that name",
      "up__never: 'up' has a tool of that name",
      "up__echo: 'up' has a prompt of that name",
      "up__never: 'up' has a prompt of that name",
    ],
  })
})

test('a name that the lists of an earlier run do not have wakes its server before it is refused', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'lists-'))
  const entries = { up: { command: 'none', revision: '2025-11-25' } }
  const earlier = await behind({ up: having('up', 'old') }, { folder, entries })
  await earlier.gateway.servers.get('up')?.refresh()
  await earlier.gateway.close()
  const up = having('up', 'old', 'new')
  const { client } = await behind({ up }, { folder, entries })
  await client.request('tools/list')
  expect(up.asked).toEqual([])
  expect(await client.call('up__new')).toBe('up')
  await expect(client.call('up__never')).rejects.toThrow('up__never')
})

test('names without a prefix that are too long for some clients are shortened', async () => {
  const long = 'a'.repeat(100)
  const { gateway, client } = await behind({ up: having('up', long) })
  await gateway.servers.get('up')?.refresh()
  const { tools } = (await client.request('tools/list')) as { tools?: Params[] }
  const name = String(tools?.find(one => one.name !== 'own')?.name)
  expect(name).toHaveLength(64)
  expect(await client.call(name)).toBe('up')
})

test.each(['a__b', 'a_', '__', 'x'.repeat(41)])(
  "the prefix '%s' could be mistaken for another, and is refused",
  prefix => {
    expect(() => configsOf({ up: { command: 'none', prefix } })).toThrow("'prefix' must be false")
  },
)
