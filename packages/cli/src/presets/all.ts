import { SPEC_DIALECT } from '@causeway/engine'
import type { Preset } from './preset.ts'

/** Every pack, every tool listed, errors as the protocol has them. */
export const all: Preset = {
  name: 'all',
  packs: ['basics', 'workstation', 'toolkit', 'cassini', 'threats'],
  dialect: SPEC_DIALECT,
  views: true,
  plainArguments: true,
}
