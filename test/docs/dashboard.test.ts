import { readFileSync } from 'node:fs'
import { metrics, metricsText } from '@causeway/engine/metrics'
import { expect, test } from 'vitest'

interface Dashboard {
  readonly panels: readonly { readonly title: string; readonly targets: readonly { readonly expr: string }[] }[]
}

/** Every metric that /metrics can show. */
function shown(): Set<string> {
  const counters = metrics(() => true)
  counters.onRefused({ status: 401, path: '/', principal: undefined, address: '', reason: '' })
  const upstream = { server: 'up', failing: 0, states: { running: 1 }, pauses: 0, calls: 0, failures: 0, restarts: 0 }
  const open = { sessions: 0, streams: 0, sockets: 0 }
  const traffic = { received: 0, sent: 0 }
  const calls = [['tool', 'ok', 1]] as const
  const durations = [['tool', [1], 1, 1]] as const
  const text = metricsText(
    { ...counters.snapshot(open), traffic, calls, durations, upstreams: [upstream] },
    { running: 1, replaced: 0, refusedConnections: 0 },
  )
  return new Set(text.split('\n').flatMap(line => /^([a-z_]+)[ {]/.exec(line)?.[1] ?? []))
}

test('every query of the dashboard names a metric that exists', () => {
  const { panels } = JSON.parse(
    readFileSync(new URL('../../deploy/grafana-dashboard.json', import.meta.url), 'utf8'),
  ) as Dashboard
  const known = shown()
  const named = panels.flatMap(({ targets }) =>
    targets.flatMap(({ expr }) => expr.match(/\b(?:causeway|process)_\w+/g) ?? []),
  )
  expect(named.length).toBeGreaterThan(15)
  expect(named.filter(name => !known.has(name))).toEqual([])
  for (const { title, targets } of panels)
    for (const { expr } of targets)
      expect(`${title}: ${expr}`).toMatch(/(?:causeway|process)_\w+\{instance=~"\$instance"/)
})
