import type { Leases } from '@causeway/engine/internal'
import { expect, test } from 'vitest'
import { metricsText, sumOfMetrics } from '@causeway/engine/metrics'
import type { MetricsSnapshot } from '@causeway/engine/metrics'
import { readArgs } from '../../src/config/args.ts'
import { readConfig } from '../../src/config/config.ts'
import { leasedRates } from '../../src/workers/leased-rates.ts'
import type { TokenSource } from '../../src/workers/leased-rates.ts'
import { RateLedger } from '../../src/workers/rate-ledger.ts'
import { checkWorkers, limitsPerWorker } from '../../src/workers/worker-limits.ts'

const BUCKET = { burst: 100, perSecond: 10 }

/** Workers whose tokens come from one ledger, on a clock of the test's own. */
function workers(count: number): { rates: Leases[]; asked: () => number; pass: (ms: number) => void } {
  let now = 0
  let asked = 0
  const ledger = new RateLedger(() => now)
  const source: TokenSource = {
    tokens: async question => {
      asked += 1
      return ledger.take(question)
    },
    give: tokens => {
      for (const [key, many] of tokens) ledger.give(key, many)
    },
  }
  const rates = Array.from({ length: count }, () => leasedRates(source, count))
  return { rates, asked: () => asked, pass: ms => void (now += ms) }
}

const granted = async (rates: Leases, times: number): Promise<number> => {
  let passed = 0
  for (let i = 0; i < times; i++) if ((await rates.take('ada', BUCKET)).granted) passed += 1
  return passed
}

test('no more pass than the bucket has, whoever asks, and few questions are put', async () => {
  const { rates, asked } = workers(2)
  const passed = await Promise.all(rates.map(one => granted(one, 100)))
  expect(passed[0] ?? 0).toBeGreaterThan(20)
  expect((passed[0] ?? 0) + (passed[1] ?? 0)).toBe(100)
  expect(asked()).toBeLessThan(60)
})

test('what one holds unused is little, and goes back', async () => {
  const { rates } = workers(2)
  const [one, other] = rates as [Leases, Leases]
  expect(await granted(one, 1)).toBe(1)
  // Of a hundred, one used one and holds at most one more.
  expect(await granted(other, 200)).toBeGreaterThanOrEqual(98)
  one.close()
  other.close()
})

test('a refusal says when to come back, and is not asked for again before', async () => {
  const { rates, asked, pass } = workers(1)
  const [one] = rates as [Leases]
  await granted(one, 100)
  const refused = await one.take('ada', BUCKET)
  expect(refused).toEqual({ granted: false, retryAfterMs: 100 })
  const before = asked()
  for (let i = 0; i < 50; i++) expect((await one.take('ada', BUCKET)).granted).toBe(false)
  expect(asked()).toBe(before)
  pass(100)
})

test('calls at the same time share one question', async () => {
  const { rates, asked } = workers(1)
  const [one] = rates as [Leases]
  const taken = await Promise.all(Array.from({ length: 150 }, async () => one.take('ada', BUCKET)))
  expect(taken.filter(({ granted: is }) => is).length).toBe(100)
  expect(asked()).toBeLessThanOrEqual(21)
})

test('tokens come back with time, up to the burst', () => {
  let now = 0
  const ledger = new RateLedger(() => now)
  const take = (count: number): number => ledger.take({ key: 'k', bucket: BUCKET, count }).tokens
  expect(take(1000)).toBe(100)
  expect(take(1)).toBe(0)
  now += 250
  expect(take(5)).toBe(2)
  ledger.give('k', 1000)
  expect(take(1000)).toBe(100)
  for (let i = 0; i < 20_000; i++) ledger.take({ key: `other ${i}`, bucket: BUCKET, count: 1 })
  expect(take(1000), 'the one asked for longest ago was forgotten').toBe(100)
})

const config = (...flags: string[]) => readConfig(readArgs(['serve', '--http', ...flags]), {})

test('what is divided adds up to what one process may have', () => {
  const share = limitsPerWorker(config('--max-inflight', '10', '--max-sessions', '1000'), 4)
  expect(share).toEqual({
    maxInflight: 2,
    maxSessions: 250,
    maxSessionsPerPrincipal: 62,
    maxHeldBytes: 64 * 1024 * 1024,
  })
  expect(limitsPerWorker(config('--max-request', '100mb'), 8).maxHeldBytes).toBe(100 * 1024 * 1024)
  expect(() => checkWorkers(config('--workers', '8', '--max-sessions', '7'))).toThrow(
    /--max-sessions 7 cannot be divided/,
  )
  expect(() => checkWorkers(config('--workers', 'auto', '--rate-limit', 'off'))).not.toThrow()
})

test('metrics add up', () => {
  const one: MetricsSnapshot = {
    calls: [
      ['add', 'ok', 2],
      ['add', 'failed', 1],
    ],
    durations: [['add', [1, 2, 3, 3, 3, 3, 3, 3], 0.5, 3]],
    refused: [['404', 1]],
    open: { sessions: 1, streams: 2, sockets: 3 },
    waiting: 0,
    rateLimited: 0,
    loopDelay: { p50: 0, p99: 0, max: 0 },
    running: 4,
    memory: 10,
    cpu: 1.5,
  }
  const other: MetricsSnapshot = { ...one, calls: [['sub', 'ok', 5]], refused: [['503', 4]] }
  const text = metricsText(sumOfMetrics([one, other]), { running: 2, replaced: 1, refusedConnections: 3 })
  for (const line of [
    'causeway_tool_calls_total{tool="add",outcome="ok"} 2',
    'causeway_tool_calls_total{tool="sub",outcome="ok"} 5',
    'causeway_tool_call_seconds_bucket{tool="add",le="0.005"} 4',
    'causeway_tool_call_seconds_count{tool="add"} 6',
    'causeway_refused_requests_total{status="404"} 1',
    'causeway_refused_requests_total{status="503"} 4',
    'causeway_sockets 6',
    'causeway_tool_calls_in_flight 8',
    'process_cpu_seconds_total 3',
    'causeway_workers 2',
    'causeway_workers_replaced_total 1',
    'process_resident_memory_bytes 20',
  ])
    expect(text.split('\n')).toContain(line)
})
