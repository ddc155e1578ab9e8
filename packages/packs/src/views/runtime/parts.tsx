import type { ComponentChildren, VNode } from 'preact'
import { useState } from 'preact/hooks'
import type { Loaded } from './app.tsx'
import { textOf } from './values.ts'
import type { ToolResult } from './values.ts'

/** The head of a view: what it shows, in a line, and what can be chosen. */
export function Head({
  title,
  about,
  children,
}: {
  title: string
  about?: string
  children?: ComponentChildren
}): VNode {
  return (
    <header class="head">
      <h1>{title}</h1>
      {about !== undefined && <p class="muted">{about}</p>}
      <span class="grow" />
      {children}
    </header>
  )
}

interface ChoiceProps<T extends string> {
  readonly label: string
  readonly options: readonly T[]
  readonly value: T
  readonly choose: (option: NoInfer<T>) => void
}

/** One of a few ways to see something. */
export function Choice<T extends string>({ label, options, value, choose }: ChoiceProps<T>): VNode {
  return (
    <div class="choice" role="group" aria-label={label}>
      {options.map(option => (
        <button type="button" key={option} aria-pressed={option === value} onClick={() => choose(option)}>
          {option}
        </button>
      ))}
    </div>
  )
}

/** What a view says while it loads, or if something went wrong. */
export function Notice({ loaded: { problem, isLoading } }: { loaded: Loaded }): VNode | null {
  if (problem !== '') {
    return (
      <p class="notice bad" role="alert">
        {problem}
      </p>
    )
  }
  return isLoading ? (
    <p class="notice" role="status">
      Loading everything…
    </p>
  ) : null
}

/** A figure with its name. */
export const Tile = ({ name, value, tone = '' }: { name: string; value: string; tone?: string }): VNode => (
  <div class={`tile ${tone}`}>
    <b>{value}</b>
    <span>{name}</span>
  </div>
)

/** A column of a table. */
export interface Column<T> {
  readonly name: string
  readonly isNumber?: boolean
  readonly of: (row: T) => string | number
  readonly show?: (row: T) => ComponentChildren
}

interface TableProps<T> {
  readonly label: string
  readonly rows: readonly T[]
  readonly columns: readonly Column<T>[]
  readonly most?: number
}

/** A table that is sorted by its heads. */
export function Table<T>({ label, rows, columns, most = 50 }: TableProps<T>): VNode {
  const [sort, setSort] = useState<{ at: number; isUp: boolean } | undefined>(undefined)
  const [count, setCount] = useState(most)
  const column = sort && columns[sort.at]
  const sorted = column ? rows.toSorted((a, b) => compare(column.of(a), column.of(b)) * (sort.isUp ? 1 : -1)) : rows
  const choose = (at: number): void =>
    setSort(known => ({ at, isUp: known?.at === at ? !known.isUp : columns[at]?.isNumber !== true }))
  const order = (at: number): 'ascending' | 'descending' | 'none' =>
    sort?.at === at ? (sort.isUp ? 'ascending' : 'descending') : 'none'
  return (
    <div class="table" tabIndex={0} role="region" aria-label={label}>
      <table>
        <thead>
          <tr>
            {columns.map(({ name, isNumber }, at) => (
              <th key={name} scope="col" aria-sort={order(at)} class={isNumber ? 'number' : ''}>
                <button type="button" onClick={() => choose(at)}>
                  {name}
                </button>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {sorted.slice(0, count).map((row, i) => (
            <tr key={i}>
              {columns.map(({ name, isNumber, of, show }) => (
                <td key={name} class={isNumber ? 'number' : ''}>
                  {show ? show(row) : of(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > count && (
        <button type="button" class="more" onClick={() => setCount(count * 4)}>
          {rows.length - count} more
        </button>
      )}
    </div>
  )
}

const compare = (a: string | number, b: string | number): number =>
  typeof a === 'number' && typeof b === 'number' ? a - b : String(a) < String(b) ? -1 : 1

/** What there is where nothing can be drawn: the words of the result. */
export const Words = ({ result }: { result: ToolResult }): VNode => (
  <pre class="words" tabIndex={0}>
    {textOf(result).slice(0, 200_000)}
  </pre>
)
