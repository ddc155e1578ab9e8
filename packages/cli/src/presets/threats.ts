import * as dialects from './dialects.ts'
import { asDocumented } from './preset.ts'
import type { Preset } from './preset.ts'

/** One tool, twelve patterns, messages word for word. */
export const threats: Preset = {
  name: 'threats',
  packs: ['tmkb'],
  identity: {
    name: 'tmkb',
    version: '0.1.0',
    description: 'Threat Model Knowledge Base - Query authorization security threats',
  },
  dialect: dialects.threats,
  server: { newest: '2025-11-25', listChanged: false, subscribe: false, logging: false },
  versionRequired: true,
  log: 'plain',
  flags: { ...asDocumented, lifecycle: 'strict', 'max-request': '10mb' },
}
