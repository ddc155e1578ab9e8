import { all } from './all.ts'
import { basics } from './basics.ts'
import type { Preset } from './preset.ts'

/** Every preset, the default first. */
export const presets: readonly Preset[] = [all, basics]
