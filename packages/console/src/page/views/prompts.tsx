import type { VNode } from 'preact'
import { Empty } from '../parts/bits.tsx'

/** To come. */
export const PromptsView = (): VNode => <Empty icon="Prompts" title="Prompts" />
