import { vi } from 'vitest'
import { PATIENCE_MS } from './patience.ts'

// `expect.poll` has a setting for this, `vi.waitFor` has none. Files that share a process share `vi`, too.
const own = vi as typeof vi & { waitImpatiently?: typeof vi.waitFor }
const waitFor = (own.waitImpatiently ??= vi.waitFor)
vi.waitFor = (look, options) =>
  waitFor(look, { interval: 20, ...(typeof options === 'object' && options), timeout: PATIENCE_MS })
