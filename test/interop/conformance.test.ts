import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { ROOT } from '../support/spawned.ts'

test('the official conformance suite passes, whole, in every revision it knows', { timeout: 600_000 }, async () => {
  const runner = spawn(process.execPath, ['conformance/run.js'], { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  for (const stream of [runner.stdout, runner.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (said += text))
  }
  const [code] = (await once(runner, 'close')) as [number | null]
  const [, passed, failed] = /\n(\d+) passed, (\d+) failed\n?$/.exec(said) ?? []
  expect({ code, failed, warnings: said.match(/^ {2}WARNING .*/gm) }, said).toEqual({
    code: 0,
    failed: '0',
    warnings: null,
  })
  for (const version of ['2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'])
    expect(said).toContain(`\n${version}\n`)
  expect(Number(passed)).toBeGreaterThan(200)
})
