import { afterInitialize } from './after-initialize.ts'
import * as dialects from './dialects.ts'
import { asDocumented, plainCapabilities } from './preset.ts'
import type { Preset } from './preset.ts'
import { templateUris } from './template-uris.ts'

/** Project templates and code analysis, with limits of their own. */
export const toolkit: Preset = {
  name: 'toolkit',
  packs: ['paiml'],
  identity: { name: 'paiml-mcp-agent-toolkit', version: '0.5.3' },
  dialect: dialects.toolkit,
  server: plainCapabilities,
  instructions: false,
  flags: {
    ...asDocumented,
    'max-request': '1mb',
    'max-response': '10mb',
    'max-inflight': '128',
    'rate-limit': '1000/100',
    lifecycle: 'lenient',
  },
  use: [afterInitialize, templateUris],
  direct: true,
  countEverything: true,
}
