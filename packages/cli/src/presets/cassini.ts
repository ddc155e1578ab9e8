import * as dialects from './dialects.ts'
import { asDocumented, plainCapabilities } from './preset.ts'
import type { Preset } from './preset.ts'

/** The plan of the Cassini mission: its tools alone. */
export const cassini: Preset = {
  name: 'cassini',
  packs: ['cassini'],
  identity: { name: 'cassini-mcp-server', version: '1.0.0' },
  dialect: dialects.cassini,
  server: plainCapabilities,
  kinds: ['tool'],
  instructions: false,
  // Its clients send no `initialized`: tools are listed and called as soon as `initialize` is answered.
  flags: { ...asDocumented, lifecycle: 'lenient' },
}
