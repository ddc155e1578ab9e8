import type { VNode } from 'preact'
import { Empty } from '../parts/bits.tsx'

/** To come. */
export const ResourcesView = (): VNode => <Empty icon="Resources" title="Resources" />
