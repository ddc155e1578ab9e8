import { fail } from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'

/**
 * One thing that every implementation of an interface does. Cases know no test framework: run each under its name, with
 * what it needs to get at the implementation; it rejects where the implementation does otherwise.
 */
export interface ContractCase<Under> {
  readonly name: string
  run(under: Under): Promise<void>
}

const WITHIN_MS = 10_000

/** Wait until something is so. */
export async function eventually(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + WITHIN_MS
  while (!(await isSo())) {
    if (performance.now() > end) fail(`It did not happen within ${WITHIN_MS / 1000} s: ${String(isSo)}`)
    await pause(5)
  }
}
