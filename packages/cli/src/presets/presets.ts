import { all } from './all.ts'
import { basics } from './basics.ts'
import { cassini } from './cassini.ts'
import { standard } from './default.ts'
import type { Preset } from './preset.ts'
import { threats } from './threats.ts'
import { toolkit } from './toolkit.ts'
import { workstation } from './workstation.ts'

/** Every preset, the default first. */
export const presets: readonly Preset[] = [standard, all, workstation, basics, cassini, toolkit, threats]
