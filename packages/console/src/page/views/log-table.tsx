import type { VNode } from 'preact'
import type { LogRecord } from '../../operator-records.ts'
import { Empty } from '../parts/bits.tsx'
import { Virtual } from '../parts/virtual.tsx'

const ROW = 28
const TONES: Readonly<Record<string, string>> = { error: 'bad', warn: 'warn', info: '', debug: '' }

/** The server's own log, newest first. */
export function LogTable({ logs, search }: { readonly logs: readonly LogRecord[]; readonly search: string }): VNode {
  const words = search.toLowerCase()
  const rows = logs.filter(line => words === '' || textOf(line).toLowerCase().includes(words)).toReversed()
  if (rows.length === 0) return <Empty icon="Live" title={logs.length === 0 ? 'The log is empty' : 'No line matches'} />
  return (
    <div class="calls">
      <Virtual
        label="Log"
        rows={rows}
        height={() => ROW}
        keyOf={line => line.id}
        draw={line => (
          <div class="call line" title={textOf(line)}>
            <span class="muted small time wide-only">{new Date(line.time).toLocaleTimeString('en-GB')}</span>
            <span>
              <span class={`badge ${TONES[line.level] ?? ''}`}>{line.level}</span>
            </span>
            <span class="mono clip small">{textOf(line)}</span>
          </div>
        )}
      />
    </div>
  )
}

function textOf({ message, fields }: LogRecord): string {
  const shown = Object.entries(fields).map(([name, value]) => `${name}=${JSON.stringify(value)}`)
  return [message, ...shown].join(' ')
}
