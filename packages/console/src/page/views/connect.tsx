import type { VNode } from 'preact'
import { Empty } from '../parts/bits.tsx'

/** To come. */
export const ConnectView = (): VNode => <Empty icon="Connect" title="Connect" />
