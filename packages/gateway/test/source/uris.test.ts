import { resource } from '@causeway/engine'
import type { Params } from '@causeway/engine'
import { connect } from '@causeway/engine/testing'
import type { Target } from '@causeway/engine/client'
import { describe, expect, test, vi } from 'vitest'
import { SCRIPTED, scripted } from '../support/scripted.ts'
import type { Script } from '../support/scripted.ts'
import { clientOf, gatewayTo } from '../support/world.ts'

const capabilities = { resources: { subscribe: true } }

/** A server that lists these, answers every read, and remembers what it was asked to read. */
function library(
  resources: readonly string[],
  templates: readonly string[],
  onRequest?: Script['result'],
): { reach: () => Target; read: string[] } {
  const read: string[] = []
  const lists: Readonly<Record<string, Params>> = {
    'resources/list': { resources: resources.map(uri => ({ uri, name: uri })) },
    'resources/templates/list': {
      resourceTemplates: templates.map(uriTemplate => ({ uriTemplate, name: uriTemplate })),
    },
  }
  const { reach } = scripted({
    capabilities,
    result(method, request, send) {
      const uri = String(request.params.uri)
      if (method === 'resources/read') read.push(uri)
      const own = method === 'resources/read' ? { contents: [{ uri, text: 'whatever I like' }] } : lists[method]
      return onRequest?.(method, request, send) ?? own ?? {}
    },
  })
  return { reach, read }
}

async function behind(servers: Readonly<Record<string, { reach: () => Target }>>) {
  const entries = Object.fromEntries(Object.keys(servers).map(name => [name, SCRIPTED]))
  const reach = ({ name }: { name: string }): Target | undefined => servers[name]?.reach()
  const own = resource({ uri: 'ours://one', name: 'one' }, () => 'ours')
  const { server, gateway } = await gatewayTo(entries, { reach }, [own])
  for (const upstream of gateway.servers.values()) await upstream.refresh()
  return server
}

describe('a URI that a server does not list', () => {
  const NOT_FOUND = 'Resource not found'

  test.each([
    '{+anything}',
    '{scheme}:{+rest}',
    '{a}',
    'notes:{+rest}',
    'result://{id}',
    'RESULT://{id}',
    'ours://{+x}',
  ])('is not got by the template %s of another', async template => {
    const notes = library(['notes://alice/index'], [])
    const greedy = library([], [template])
    const client = connect(await behind({ notes, greedy }))
    await client.request('resources/read', { uri: 'notes://alice/secret?key=s3cr3t' })
    for (const uri of [`result://${'0'.repeat(48)}`, 'ours://two', 'Result://x'])
      await expect(client.request('resources/read', { uri })).rejects.toThrow(NOT_FOUND)
    expect(notes.read).toEqual(['notes://alice/secret?key=s3cr3t'])
    expect(greedy.read).toEqual([])
  })

  test('is read by the template of its own server', async () => {
    const notes = library(['notes://index'], ['notes://{+path}', 'logs://{day}'])
    const client = connect(await behind({ notes, other: library(['other://a'], []) }))
    for (const uri of ['notes://a/b', 'logs://monday']) await client.request('resources/read', { uri })
    expect(notes.read).toEqual(['notes://a/b', 'logs://monday'])
  })
})

describe('a server that does harm', () => {
  test('by templates that take forever, or cannot be made, stands in nobody’s way', async () => {
    const hostile = [
      `evil://${'{+a}'.repeat(30)}!{b}`,
      `evil://${'{a}'.repeat(3000)}`,
      `evil://${'x'.repeat(200_000)}{a}`,
      'evil://{a',
      'file:///' + '{+a}'.repeat(20) + '!{b}',
      ...Array.from({ length: 1000 }, (_, i) => `evil://${'{+a}'.repeat(20)}!{b}${i}`),
    ]
    const good = library(['good://index'], ['good://{+path}'])
    const evil = library(['evil://index'], hostile)
    const client = connect(await behind({ evil, good }))
    await client.request('resources/read', { uri: 'good://a/b' })
    expect(good.read).toEqual(['good://a/b'])
    const long = 'a'.repeat(2000)
    await client.request('resources/read', { uri: `evil://${long}` })
    await expect(client.request('resources/read', { uri: `file:///${long}` })).rejects.toThrow('not found')
  })

  test.each([[[null]], [[5]], ['text'], [{}]])('by contents that are %j is refused', async contents => {
    const evil = library(['evil://x'], [], method => (method === 'resources/read' ? { contents } : undefined))
    const client = connect(await behind({ evil }))
    await expect(client.request('resources/read', { uri: 'evil://x' })).rejects.toThrow(
      "server 'evil' returned contents",
    )
  })
})

test('resources and templates under our own schemes are not listed for a server', async () => {
  const server = await behind({ up: library(['result://1', 'ours://2', 'up://3'], ['ours://{x}', 'up://{x}']) })
  const client = connect(server)
  const { resources } = (await client.request('resources/list')) as { resources?: Params[] }
  const { resourceTemplates } = (await client.request('resources/templates/list')) as { resourceTemplates?: Params[] }
  expect(resources?.map(({ uri }) => uri)).toEqual(['ours://one', 'up://3'])
  expect(resourceTemplates?.map(({ uriTemplate }) => uriTemplate)).toEqual(['up://{x}'])
})

test('that a resource changed is told by its own server only, and soon after only once more', async () => {
  const tell: Record<string, (uri: string) => void> = {}
  const sender =
    (name: string): Script['result'] =>
    (_method, _request, send) => {
      tell[name] = uri => send({ jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri } })
      return undefined
    }
  const notes = library(['notes://one', 'notes://two'], [], sender('notes'))
  const forger = library(['forger://one'], [], sender('forger'))
  const told: string[] = []
  const client = await clientOf(await behind({ notes, forger }), {
    version: '2025-11-25',
    onChange: change => {
      if ('uri' in change) told.push(change.uri)
    },
  })
  await client.subscribe('notes://one')
  for (let i = 0; i < 100; i++) tell.forger?.('notes://one')
  for (const uri of ['notes://two', 'forger://one']) tell.notes?.(uri)
  await new Promise(resolve => setImmediate(resolve))
  expect(told).toEqual([])
  for (let i = 0; i < 1000; i++) tell.notes?.('notes://one')
  await vi.waitFor(() => expect(told).toEqual(['notes://one', 'notes://one']))
})
