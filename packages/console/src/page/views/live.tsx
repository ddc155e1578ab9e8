import type { VNode } from 'preact'
import { Empty } from '../parts/bits.tsx'

/** To come. */
export const LiveView = (): VNode => <Empty icon="Live" title="Live" />
