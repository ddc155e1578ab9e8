import type { VNode } from 'preact'
import { Empty } from '../parts/bits.tsx'
import { Code } from '../parts/copy.tsx'

/** In place of what shows the calls of others, for a token that may not see them. */
export function OperatorsOnly(): VNode {
  return (
    <div class="detail">
      <Empty icon="Live" title="For operators only">
        <p>Calls, the log and the servers behind this one are shown to a token with the scope operator.</p>
        <Code label="Make one" text="causeway token NAME --scope operator" />
      </Empty>
    </div>
  )
}
