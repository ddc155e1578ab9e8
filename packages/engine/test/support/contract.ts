import { describe, test } from 'vitest'
import type { ContractCase } from '@causeway/engine/testing'

/** Run every case of a contract as a test. */
export function runContract<Under>(title: string, cases: readonly ContractCase<Under>[], under: Under): void {
  // oxlint-disable-next-line vitest/valid-title -- the caller says which
  describe(title, () => {
    // oxlint-disable-next-line vitest/expect-expect, vitest/no-identical-title -- a case rejects where it fails
    test.each(cases)('$name', ({ run }) => run(under))
  })
}
