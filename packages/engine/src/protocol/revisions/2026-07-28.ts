import { neutral as next } from '../neutral.ts'
import { before } from '../revision.ts'
import type { Chained } from '../revision.ts'

/** Stateless: every request describes itself, questions come back as results. */
export const v2026_07_28: Chained = before(next, { version: '2026-07-28' })
