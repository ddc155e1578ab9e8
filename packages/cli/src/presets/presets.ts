import { all } from './all.ts'
import { basics } from './basics.ts'
import type { Preset } from './preset.ts'
import { threats } from './threats.ts'

/** Every preset, the default first. */
export const presets: readonly Preset[] = [all, basics, threats]
