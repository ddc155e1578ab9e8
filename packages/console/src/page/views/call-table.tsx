import { useComputed, useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import type { CallRecord } from '../../operator-records.ts'
import { Outcome, duration } from '../parts/bits.tsx'
import { Virtual } from '../parts/virtual.tsx'
import { JsonTree } from '../result/json-tree.tsx'
import { go } from '../state/route.ts'
import { draft } from '../state/runs.ts'

const ROW = 40
const HEAD = 33

/** Calls, newest first; one that is clicked opens below. */
export function CallTable({ calls }: { readonly calls: readonly CallRecord[] }): VNode {
  const open = useSignal<CallRecord | undefined>(undefined)
  const rows = calls.toReversed()
  return (
    <>
      <div class="calls" style={{ height: `${Math.min(440, HEAD + rows.length * ROW)}px` }}>
        <div class="call head" aria-hidden="true">
          <span class="wide-only">Time</span>
          <span>Tool</span>
          <span class="wide-only">Principal</span>
          <span class="wide-only">Client</span>
          <span class="num">Duration</span>
          <span>Outcome</span>
        </div>
        <Virtual
          label="Calls"
          rows={rows}
          height={() => ROW}
          keyOf={call => call.id}
          draw={call => (
            <Row
              call={call}
              isOpen={open.value?.id === call.id}
              toggle={() => (open.value = open.value?.id === call.id ? undefined : call)}
            />
          )}
        />
      </div>
      {open.value && <Opened call={open.value} />}
    </>
  )
}

function Row(props: { readonly call: CallRecord; readonly isOpen: boolean; toggle(): void }): VNode {
  const { call, isOpen, toggle } = props
  return (
    <button type="button" class="call" aria-expanded={isOpen} onClick={toggle}>
      <span class="muted small time wide-only">{new Date(call.time).toLocaleTimeString('en-GB')}</span>
      <span class="mono clip">{call.tool}</span>
      <span class="clip wide-only">{call.principal ?? '–'}</span>
      <span class="clip muted small wide-only">{call.client ?? '–'}</span>
      <span class="num">{duration(call.durationMs)}</span>
      <span>
        <Outcome outcome={call.outcome} />
      </span>
    </button>
  )
}

/** One call in full, and the way to make it again. */
function Opened({ call }: { readonly call: CallRecord }): VNode {
  const masked = useComputed(() => JSON.stringify(call.arguments ?? {}).includes('***'))
  const again = (): void => {
    if (call.arguments !== undefined) draft(`tool ${call.tool}`, call.arguments)
    go('Tools', call.tool)
  }
  return (
    <section class="body stack" aria-label={`Call of ${call.tool}`}>
      <div class="row wrap">
        <h2 class="grow mono">{call.tool}</h2>
        <button type="button" class="button" onClick={again}>
          Run again…
        </button>
      </div>
      <dl class="facts">
        <dt>Time</dt>
        <dd>{new Date(call.time).toLocaleString('en-GB')}</dd>
        <dt>Principal</dt>
        <dd>{call.principal ?? 'not authenticated'}</dd>
        <dt>Client</dt>
        <dd>{call.client ?? 'not named'}</dd>
        {call.worker !== undefined && (
          <>
            <dt>Worker</dt>
            <dd>{call.worker}</dd>
          </>
        )}
        <dt>Over</dt>
        <dd>
          {call.transport}, revision {call.revision}
        </dd>
        <dt>Outcome</dt>
        <dd>
          {call.outcome} after {duration(call.durationMs)}
        </dd>
      </dl>
      <h3>Arguments</h3>
      {call.arguments === undefined ? (
        <p class="muted">Not kept: they were long, or too many calls came at once.</p>
      ) : (
        <JsonTree value={call.arguments} />
      )}
      {masked.value && <p class="notice warn">Secrets are masked: fill them in before you run it again.</p>}
    </section>
  )
}
