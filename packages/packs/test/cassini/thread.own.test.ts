import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { connect } from '@causeway/engine/testing'
import type { Client } from '@causeway/engine/testing'
import { describe, expect, test } from 'vitest'
import { createQueryService } from '../../src/cassini/database/query-service.ts'
import { WorkerThreadClient } from '../../src/cassini/database/worker-client.ts'
import { call, planned, serve } from './fixture.ts'

// The thread as it was built before the tests.
const worker = new URL('../../dist/cassini-worker.js', import.meta.url)
const data = await planned()
const open = (): Client => connect(serve({ data, worker }))

test('tools are answered from the thread', async () => {
  const client = open()
  expect(await client.call('query_observations_by_team', { team: 'ISS', limit: 2 })).toMatchObject({ total: 8989 })
  expect(await client.call('search_observations', { query: 'plume' })).toMatchObject({ matched: 'all' })
  expect(await client.call('get_observation_details', { id: 70_000 })).toMatchObject({ found: false })
  expect(readdirSync(data)).toEqual(['cassini-synthetic-2.db'])
})

test('a long query keeps other calls from nothing', async () => {
  const client = open()
  const args = { query: 'saturn' }
  await client.call('search_observations', args)
  const order: string[] = []
  const long = Array.from({ length: 30 }, () => client.call('search_observations', args))
  const last = long.at(-1)?.then(() => order.push('long'))
  await client.call('get_observation_details', { id: 1 }).then(() => order.push('details'))
  await client.request('tools/list').then(() => order.push('list'))
  await last
  expect(order).toEqual(['details', 'list', 'long'])
})

describe('a question nobody waits for', () => {
  const words = { all: '"saturn"', any: '"saturn"', without: '' }
  const long = { kind: 'search', words, filter: {}, part: { limit: 1000, offset: 0 } } as const
  const short = { kind: 'details', id: 1 } as const

  test('is ended within the database', async () => {
    let isStopped = true
    const service = createQueryService(data, () => isStopped)
    expect(await service.ask(long)).toMatchObject({ accident: expect.stringContaining('SQLITE_INTERRUPT') as string })
    expect(await service.ask(short)).toHaveProperty('answer')
    isStopped = false
    expect(await service.ask(long)).toHaveProperty('answer')
  })

  test('is given up at once, and the next one answered', async () => {
    const client = new WorkerThreadClient(worker, data)
    const leaving = new AbortController()
    const abandoned = client.ask(long, leaving.signal)
    leaving.abort(new Error('left'))
    await expect(abandoned).rejects.toThrow('left')
    expect(await client.ask(short)).toMatchObject({ answer: { about: { synthetic: true }, value: { id: 1 } } })
    expect(await client.ask(long)).toHaveProperty('answer')
  })

  test('is not even asked while it waits', async () => {
    const client = new WorkerThreadClient(worker, data)
    await client.ask(short)
    const leaving = new AbortController()
    const first = client.ask(short)
    const waiting = client.ask(long, leaving.signal)
    leaving.abort(new Error('left'))
    await expect(waiting).rejects.toThrow('left')
    expect(await first).toHaveProperty('answer')
    await expect(client.ask(short, AbortSignal.abort(new Error('too late')))).rejects.toThrow('too late')
  })

  test('is cancelled by its client', async () => {
    const client = open()
    const asked = client.raw(
      JSON.stringify({
        jsonrpc: '2.0',
        id: 'long',
        method: 'tools/call',
        params: {
          name: 'search_observations',
          arguments: { query: 'saturn', limit: 1000 },
          _meta: {
            'io.modelcontextprotocol/protocolVersion': '2026-07-28',
            'io.modelcontextprotocol/clientCapabilities': {},
          },
        },
      }),
    )
    await client.notify('notifications/cancelled', { requestId: 'long' })
    expect(await asked).toBeUndefined()
    expect(await client.call('get_statistics', { group_by: 'team' })).toMatchObject({ total: 61_873 })
  })
})

test('a thread that dies is replaced', async () => {
  const client = new WorkerThreadClient(worker, data)
  await client.ask({ kind: 'about' })
  expect(await client.ask({ kind: 'no such question' } as never)).toHaveProperty('accident')
  expect(await client.ask({ kind: 'about' })).toHaveProperty('answer')
  const lost = new WorkerThreadClient(pathToFileURL(join(data, 'no-such-module.js')), data)
  expect(await lost.ask({ kind: 'about' })).toHaveProperty('accident')
  expect(await lost.ask({ kind: 'about' })).toHaveProperty('accident')
})

test('an accident is masked', async () => {
  const client = connect(serve({ data, worker: pathToFileURL(join(data, 'no-such-module.js')) }))
  const { isError, content } = await call(client, 'list_teams')
  expect(isError).toBe(true)
  expect(content[0]?.text).toMatch(/^Internal error \(reference \w+\)$/)
})
