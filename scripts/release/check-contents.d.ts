import type { Packed } from './packages.js'

export function problemsOf(packed: Pick<Packed, 'name' | 'files'>, folder: string): readonly string[]
