import * as dialects from './dialects.ts'
import { asDocumented, plainCapabilities } from './preset.ts'
import type { Preset } from './preset.ts'

/** The tools of a workstation, every call audited; a client may begin with any request. */
export const workstation: Preset = {
  name: 'workstation',
  packs: ['workstation'],
  identity: { name: 'ancplua-mcp', version: '1.0.0' },
  dialect: dialects.workstation,
  server: plainCapabilities,
  wholeFiles: true,
  flags: { ...asDocumented, audit: 'stderr', timeout: '30s', lifecycle: 'lenient' },
}
