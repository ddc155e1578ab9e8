import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { ROOT } from '../support/spawned.ts'

/** The revisions that the official suite knows. */
export const VERSIONS: readonly string[] = ['2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28']

/** Scenarios of extensions that have to pass by their names; that of notifications is always skipped. */
export const EXTENSION_SCENARIOS: readonly string[] = [
  'tasks-lifecycle',
  'tasks-capability-negotiation',
  'tasks-wire-fields',
  'tasks-request-state-removal',
  'tasks-mrtr-input',
  'tasks-request-headers',
  'tasks-dispatch-and-envelope',
  'tasks-status-notifications',
  'tasks-required-task-error',
  'tasks-mrtr-composition',
]

/** What a run of the suite says. */
export interface Outcome {
  readonly code: number | null
  readonly passed: number
  readonly failed: number
  /** Failures and warnings, a line each. */
  readonly complaints: readonly string[]
  readonly said: string
}

/** Flags for these revisions alone. */
export const only = (versions: readonly string[]): string[] => versions.flatMap(version => ['--spec-version', version])

/** Runs the official conformance suite. */
export async function conformance(...flags: string[]): Promise<Outcome> {
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
export const SUITE = { timeout: 600_000, retry: 2 }
