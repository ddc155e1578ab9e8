import * as dialects from './dialects.ts'
import type { Preset } from './preset.ts'

/** The tools of a workstation, every call audited. */
export const workstation: Preset = {
  name: 'workstation',
  packs: ['workstation'],
  identity: { name: 'ancplua-mcp', version: '1.0.0' },
  dialect: dialects.workstation,
  flags: { audit: 'stderr', timeout: '30s' },
}
