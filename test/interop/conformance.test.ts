import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { ROOT } from '../support/spawned.ts'

const VERSIONS = ['2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28']

interface Outcome {
  readonly code: number | null
  readonly passed: number
  readonly failed: number
  /** Failures and warnings, a line each. */
  readonly complaints: readonly string[]
  readonly said: string
}

const only = (versions: readonly string[]): string[] => versions.flatMap(version => ['--spec-version', version])

async function conformance(...flags: string[]): Promise<Outcome> {
  const args = ['conformance/run.js', ...flags]
  const runner = spawn(process.execPath, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  for (const stream of [runner.stdout, runner.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (said += text))
  }
  const [code] = (await once(runner, 'close')) as [number | null]
  const [, passed, failed] = /\n(\d+) passed, (\d+) failed\n?$/.exec(said) ?? []
  const complaints = said.match(/^ {2}(?:WARNING|FAILURE) .*/gm) ?? []
  return { code, passed: Number(passed), failed: Number(failed), complaints, said }
}

// The official suite has time limits of its own, which a busy machine can break.
const SUITE = { timeout: 600_000, retry: 2 }
// Through the gateway the oldest and the newest; .ci/run has the others, too.
const OUTER = ['2025-03-26', '2026-07-28']

test.each([
  ['the official conformance suite passes, whole, in every revision it knows', [], VERSIONS],
  ['it does through the gateway, in front of a server whose requests stand alone', ['--gateway'], OUTER],
])('%s', SUITE, async (_, flags, versions) => {
  const { code, passed, failed, complaints, said } = await conformance(...flags, ...only(versions))
  expect({ code, failed, complaints }, said).toEqual({ code: 0, failed: 0, complaints: [] })
  for (const version of versions) expect(said).toContain(`\n${version}\n`)
  expect(passed).toBeGreaterThan(50 * versions.length)
})

test(
  'in front of a server with sessions, only the key is missed that its live questions do not have',
  SUITE,
  async () => {
    const { passed, complaints, said } = await conformance('--gateway', '--upstream', '2025-11-25', ...only(OUTER))
    expect(complaints, said).toEqual([
      expect.stringContaining('sep-2322-elicitation-incomplete: inputRequests missing expected key "user_name"'),
      // The same: the answer comes under that key.
      expect.stringContaining('WARNING input-required-result-ignore-extra-params'),
    ])
    expect(passed).toBeGreaterThan(50 * OUTER.length)
  },
)
