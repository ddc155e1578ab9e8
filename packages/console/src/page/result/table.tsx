import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { isObject } from '@causeway/engine/browser'
import type { Schema } from '../schema/schema.ts'

const MOST_ROWS = 500
const MOST_COLUMNS = 20

/** Rows that are objects, with the columns most of them share. */
export function columnsOf(rows: readonly Schema[]): readonly string[] {
  const names = new Set<string>()
  for (const row of rows.slice(0, 100)) for (const name of Object.keys(row)) names.add(name)
  return [...names].slice(0, MOST_COLUMNS)
}

/** Is it a list of objects, which reads best as a table? */
export const isTable = (value: unknown): value is readonly Schema[] =>
  Array.isArray(value) && value.length > 0 && value.every(isObject) && columnsOf(value).length > 0

/** A list of objects, sorted by whichever column one clicks. */
export function DataTable({ rows, label }: { readonly rows: readonly Schema[]; readonly label: string }): VNode {
  const sort = useSignal<{ readonly by: string; readonly down: boolean } | undefined>(undefined)
  const columns = columnsOf(rows)
  const sorted = sort.value === undefined ? rows : rows.toSorted(comparing(sort.value))
  const choose = (by: string): void => {
    sort.value = { by, down: sort.value?.by === by ? !sort.value.down : typeof rows[0]?.[by] === 'number' }
  }
  const isNumber = (name: string): boolean => rows.some(row => typeof row[name] === 'number')
  return (
    <div class="stack tight">
      <div class="scroll" tabIndex={0} role="group" aria-label={label}>
        <table>
          <thead>
            <tr>
              {columns.map(name => (
                <th
                  key={name}
                  scope="col"
                  class={isNumber(name) ? 'num' : ''}
                  aria-sort={sort.value?.by === name ? (sort.value.down ? 'descending' : 'ascending') : 'none'}
                >
                  <button type="button" onClick={() => choose(name)}>
                    {name}
                    {sort.value?.by === name ? (sort.value.down ? ' ↓' : ' ↑') : ''}
                  </button>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {sorted.slice(0, MOST_ROWS).map((row, i) => (
              <tr key={i}>
                {columns.map(name => (
                  <td key={name} class={classOf(row[name])}>
                    {cell(row[name])}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {rows.length > MOST_ROWS && (
        <p class="muted small">
          The first {MOST_ROWS} of {rows.length} rows
        </p>
      )}
    </div>
  )
}

const classOf = (value: unknown): string =>
  typeof value === 'number' ? 'num' : typeof value === 'string' && value.length <= 60 ? 'short' : ''

function cell(value: unknown): string {
  if (value === undefined || value === null) return ''
  if (typeof value === 'number') return value.toLocaleString('en', { maximumFractionDigits: 3 })
  return typeof value === 'string' ? value : JSON.stringify(value)
}

const comparing =
  ({ by, down }: { readonly by: string; readonly down: boolean }) =>
  (a: Schema, b: Schema): number => {
    const [x, y] = [a[by], b[by]]
    const order = typeof x === 'number' && typeof y === 'number' ? x - y : cell(x).localeCompare(cell(y))
    return down ? -order : order
  }
