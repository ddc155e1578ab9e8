import { spawn } from 'node:child_process'
import type { ChildProcessByStdio } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import type { Params } from '@causeway/engine'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { Stateless } from '../../packages/engine/test/support/http-client.ts'
import { RedisServer } from '../support/redis-server.ts'
import { upstreamScript } from '../support/upstream-script.ts'
import { World, gone, textOf } from './world.ts'
import { needs } from '../support/needs.ts'

const UPSTREAM = upstreamScript('sdk-v1')
const CAN = { elicitation: { form: {} } }

describe('--servers with --workers and --store', needs('redis-server'), () => {
  const folder = mkdtempSync(join(tmpdir(), 'causeway-test-worker-servers-'))
  let remote: ChildProcessByStdio<null, Readable, null>
  let redis: RedisServer
  let world: World
  beforeAll(async () => {
    remote = spawn(process.execPath, [UPSTREAM, '--http'], { stdio: ['ignore', 'pipe', 'inherit'] })
    const [url] = (await once(createInterface({ input: remote.stdout }), 'line')) as [string]
    const near = { command: process.execPath, args: [UPSTREAM, folder], processes: 2 }
    const virtual = { few: { tools: ['far__echo'] } }
    writeFileSync(join(folder, 'servers.json'), JSON.stringify({ mcpServers: { far: { url }, near }, virtual }))
    redis = await RedisServer.start()
    const flags = ['--store', redis.url, '--servers', join(folder, 'servers.json'), '--data', folder]
    world = await World.start('--workers', '2', '--rate-limit', 'off', ...flags)
    await world.workers(2)
    const client = new Stateless(world.url)
    const hasAll = async (): Promise<void> => {
      for (let i = 0; i < 4; i++) {
        const listed = JSON.stringify(await client.request('tools/list', {}))
        if (!listed.includes('far__counter') || !listed.includes('near__pid'))
          throw new Error(`Not all of it: ${listed}`)
      }
    }
    await vi.waitFor(hasAll, { interval: 50 })
  }, 60_000)
  afterAll(async () => {
    await world.end()
    await redis.stop()
    remote.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  })

  test('both workers use one session with a server elsewhere', async () => {
    const client = new Stateless(world.url)
    const counts: unknown[] = []
    for (let i = 0; i < 12; i++) counts.push(textOf(await client.call('far__counter')))
    expect(counts).toEqual(Array.from({ length: 12 }, (_, i) => String(i + 1)))
  })

  test('answers reach a call whichever worker has it, over HTTP and stdio', async () => {
    const client = new Stateless(world.url, { capabilities: CAN })
    for (const tool of ['far__ask', 'near__ask', 'far__ask', 'near__ask']) {
      const first = await client.call(tool)
      const last = await client.request('tools/call', answered(tool, first, 'one'))
      const done = await client.request('tools/call', answered(tool, last, 'two'))
      expect(textOf(done)).toContain('"value":"two"')
    }
  })

  test('a virtual server is served by both', async () => {
    const client = new Stateless(world.url)
    for (let i = 0; i < 6; i++) {
      const { headers, body } = client.sent({ jsonrpc: '2.0', id: i, method: 'tools/list', params: {} })
      const request = { method: 'POST', headers: headers as Record<string, string>, body: JSON.stringify(body) }
      const text = await (await fetch(`${world.url}/mcp/few`, request)).text()
      expect(text).toContain('far__echo')
      expect(text).not.toContain('far__counter')
    }
  })

  test('each worker starts its share of a server, and all are gone with it', async () => {
    const client = new Stateless(world.url)
    const pids = new Set<number>()
    for (let i = 0; i < 100 && pids.size < 2; i++) pids.add(Number(textOf(await client.call('near__pid'))))
    expect(pids.size).toBe(2)
    const workers = new Set<string>()
    for (let i = 0; i < 100 && workers.size < 2; i++) workers.add(await workerOf(world.url))
    expect([...workers].every(name => /^w\d+$/.test(name))).toBe(true)
    const [first = 0] = await world.workers(2)
    process.kill(first, 'SIGKILL')
    await gone(first)
    await vi.waitFor(() => expect(childrenIn(folder).filter(pid => pids.has(pid))).toHaveLength(1), 10_000)
    world.served.process.kill('SIGTERM')
    await world.served.ended
    expect(childrenIn(folder)).toEqual([])
  })
})

const workerOf = async (url: string): Promise<string> => {
  const { worker } = (await (await fetch(`${url}/health/upstreams`)).json()) as { worker: string }
  return worker
}

/** The request that brings the answer to what a call asks. */
function answered(name: string, { result }: { readonly result?: unknown }, value: string): Params {
  const { requestState, inputRequests } = result as { requestState: string; inputRequests: Params }
  const [key = ''] = Object.keys(inputRequests)
  const inputResponses = { [key]: { action: 'accept', content: { value } } }
  return { name, arguments: {}, requestState, inputResponses }
}

/** The servers that were started with that folder as their argument. */
function childrenIn(folder: string): number[] {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .flatMap(pid => {
      try {
        const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
        return words.includes(UPSTREAM) && words.includes(folder) ? [Number(pid)] : []
      } catch {
        return []
      }
    })
}
