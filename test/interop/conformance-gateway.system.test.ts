import { expect, test } from 'vitest'
import { SUITE, VERSIONS, conformance, only } from './conformance-run.ts'

test(
  'the official suite passes through the gateway, in front of a server whose requests stand alone',
  SUITE,
  async () => {
    const { code, passed, failed, complaints, said } = await conformance('--gateway', ...only(VERSIONS))
    // A tool that its server runs only as a task works through the gateway for clients that know no tasks, too.
    const works = expect.stringContaining('FAILURE tasks-required-task-error')
    expect({ code, failed, complaints }, said).toEqual({ code: 1, failed: 1, complaints: [works] })
    for (const version of VERSIONS) expect(said).toContain(`\n${version}\n`)
    expect(passed).toBeGreaterThan(50 * VERSIONS.length)
  },
)

// Through the gateway the oldest and the newest.
const OUTER = [VERSIONS[0] ?? '', VERSIONS.at(-1) ?? '']

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
