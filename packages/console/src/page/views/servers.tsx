import type { VNode } from 'preact'
import { Empty } from '../parts/bits.tsx'

/** To come. */
export const ServersView = (): VNode => <Empty icon="Servers" title="Servers" />
