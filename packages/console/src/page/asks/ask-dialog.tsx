import type { VNode } from 'preact'

/** To come. */
export const AskDialog = (): VNode | null => null
