import type { Signal } from '@preact/signals'
import { versions } from '@causeway/engine/browser'
import type { VNode } from 'preact'
import { duration } from '../parts/bits.tsx'
import { Icon } from '../parts/icon.tsx'
import { cancel } from '../state/runs.ts'
import type { Run } from '../state/runs.ts'

/** Starts and stops, in a revision one picks; shows how far it got. */
export function RunBar(props: {
  readonly run: Run | undefined
  readonly version: Signal<string>
  readonly id: string
  readonly verb?: string
}): VNode {
  const { run, version, id, verb = 'Run' } = props
  const isRunning = run?.state === 'running'
  return (
    <div class="runbar">
      <button type="submit" class="button primary" disabled={isRunning}>
        <Icon name="run" />
        {verb}
      </button>
      <button type="button" class="button" disabled={!isRunning} onClick={() => cancel(id)}>
        Cancel
      </button>
      {isRunning ? <Progress run={run} /> : <span class="row grow">{run && <Ending run={run} />}</span>}
      <label class="row small muted">
        Revision
        <select
          class="input mini"
          aria-label="Revision"
          value={version.value}
          onChange={event => (version.value = event.currentTarget.value)}
        >
          <option value="">newest</option>
          {versions.map(one => (
            <option key={one} value={one}>
              {one}
            </option>
          ))}
        </select>
      </label>
    </div>
  )
}

/** How it ended, and how long it took. */
export function Ending({ run: { state, ms, result } }: { readonly run: Run }): VNode {
  if (state === 'running') return <span class="badge warn">running</span>
  const isError = state === 'failed' || result?.isError === true
  const word = state === 'cancelled' ? 'cancelled' : isError ? 'failed' : 'ok'
  return (
    <>
      <span class={`badge ${state === 'cancelled' ? 'warn' : isError ? 'bad' : 'good'}`}>{word}</span>
      <span class="muted small">{duration(ms)}</span>
    </>
  )
}

function Progress({ run: { progress } }: { readonly run: Run }): VNode {
  const total = progress?.total
  return (
    <div class="row grow">
      {progress && total !== undefined && total > 0 ? (
        <progress aria-label="Progress" value={progress.done} max={total} />
      ) : (
        <progress aria-label="Progress" />
      )}
      <span class="muted small" role="status">
        {progress?.message ?? 'Running…'}
      </span>
    </div>
  )
}
