import type * as Jose from 'jose'

/** All cryptography of tokens; loaded when the first one is made or verified. This is the only place that imports it. */
export const loadJose = (): Promise<typeof Jose> => import('jose')
