import { afterEach, expect, test, vi } from 'vitest'
import { PATIENCE_MS } from '../../../test/support/patience.ts'
import type { CallRecord, PeerMessage, Sample } from '@causeway/console'
import { exhibits } from './browser/exhibits.ts'
import { serveConsole } from './browser/served.ts'
import type { Served } from './browser/served.ts'

const open: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of open.splice(0)) await close()
})

/** Two workers whose feeds are linked as the primary process links them. */
async function workers(): Promise<readonly [Served, Served]> {
  const feeds = new Map<string, Served>()
  const send = (from: string) => (message: PeerMessage, to?: string) => {
    // As a channel between processes would carry it.
    const copy = JSON.parse(JSON.stringify(message)) as PeerMessage
    for (const [name, { feed }] of feeds) if (name !== from && (to ?? name) === name) feed.fromPeer(from, copy)
  }
  const start = async (worker: string): Promise<Served> => {
    const served = await serveConsole(exhibits(), { feed: { peers: { worker, send: send(worker) } } })
    feeds.set(worker, served)
    open.push(() => served.close())
    return served
  }
  return [await start('w1'), await start('w2')]
}

interface Seen {
  readonly calls: CallRecord[]
  readonly samples: Sample[]
}

/** What a page at this worker sees. */
function watch({ url }: Served): Seen {
  const seen: Seen = { calls: [], samples: [] }
  const ending = new AbortController()
  open.push(async () => ending.abort())
  const read = async (): Promise<void> => {
    const response = await fetch(`${url}/console/events`, { signal: ending.signal })
    let text = ''
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const parts = (text + chunk).split('\n\n')
      text = parts.pop() ?? ''
      for (const part of parts) take(seen, part)
    }
  }
  read().catch(() => {})
  return seen
}

function take({ calls, samples }: Seen, part: string): void {
  const [, event, data = '{}'] = /^event: (\w+)\ndata: (.*)$/s.exec(part) ?? []
  const value = JSON.parse(data) as { calls?: CallRecord[] } & Sample
  if (event === 'sample') samples.push(value)
  else if (event === 'calls' || event === 'history') calls.push(...(value.calls as unknown as CallRecord[]))
}

const call = async ({ url }: Served, name: string): Promise<void> => {
  await fetch(`${url}/rpc`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: {} } }),
  })
}

test('a page shows the calls of every worker once, before and after it was opened, and the figures in sum', async () => {
  const [first, second] = await workers()
  await call(first, 'fails')
  await call(second, 'markdown')
  const one = watch(first)
  await vi.waitFor(() => expect(namesOf(one)).toEqual(['w1 fails', 'w2 markdown']), PATIENCE_MS)
  await call(second, 'rows')
  await vi.waitFor(() => expect(namesOf(one)).toContain('w2 rows'), PATIENCE_MS)
  const two = watch(second)
  await vi.waitFor(() => expect(namesOf(two)).toEqual(['w1 fails', 'w2 markdown', 'w2 rows']), PATIENCE_MS)
  await vi.waitFor(() => expect(one.samples.at(-1)?.workers).toHaveLength(2), PATIENCE_MS)
  const { rss = 0, workers: parts = [] } = one.samples.at(-1) ?? {}
  expect(parts.map(({ worker }) => worker)).toEqual(['w1', 'w2'])
  expect(rss).toBe(parts.reduce((sum, part) => sum + part.rss, 0))
  expect(namesOf(one)).toEqual(['w1 fails', 'w2 markdown', 'w2 rows'])
  expect(new Set(one.calls.map(({ id }) => id)).size).toBe(3)
})

const namesOf = ({ calls }: Seen): string[] => calls.map(({ worker, tool }) => `${worker} ${tool}`).toSorted()
