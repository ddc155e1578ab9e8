import { expect, test } from 'vitest'
import { hasRedis } from '../support/redis-server.ts'
import { runFaults } from './run-faults.ts'

test.runIf(hasRedis('a few random faults over several processes'))(
  'a few faults at random break no promise (npm run faults runs for longer)',
  { timeout: 120_000 },
  async () => {
    const log: string[] = []
    const { faults, violations } = await runFaults(8, 3, line => void log.push(line))
    expect(violations, log.join('\n')).toEqual([])
    expect(faults).toBeGreaterThan(0)
  },
)
