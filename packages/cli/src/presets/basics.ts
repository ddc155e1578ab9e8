import * as dialects from './dialects.ts'
import { asDocumented, plainCapabilities } from './preset.ts'
import type { Preset } from './preset.ts'

/** Arithmetic, ping, echo and secrets: the small server of a gateway. */
export const basics: Preset = {
  name: 'basics',
  packs: ['basics'],
  identity: { name: 'mcp-gateway', version: '2.0.0' },
  dialect: dialects.basics,
  server: { ...plainCapabilities, names: 'strict', newest: '2025-06-18', batches: true },
  flags: { ...asDocumented, lifecycle: 'lenient' },
  direct: true,
  streams: true,
}
