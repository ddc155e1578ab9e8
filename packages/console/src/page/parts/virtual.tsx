import { useSignal } from '@preact/signals'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import type { VNode } from 'preact'

/** What a long list shows: its rows, how tall each is, and how one is drawn. */
export interface VirtualProps<T> {
  readonly label: string
  readonly rows: readonly T[]
  height(row: T): number
  keyOf(row: T): string | number
  draw(row: T): VNode
  /** Stay at the end while rows are added there. */
  readonly follow?: boolean
  /** The row to bring into sight. */
  readonly shown?: string | undefined
}

const BEYOND = 300

/** A list of any length: only what can be seen is there. */
export function Virtual<T>(props: VirtualProps<T>): VNode {
  const { rows, height, keyOf, draw, follow = false, shown, label } = props
  const box = useRef<HTMLDivElement>(null)
  const window = useSignal({ top: 0, height: 800 })
  const tops = useMemo(() => topsOf(rows, height), [rows])
  const total = tops.at(-1) ?? 0
  const measure = (): void => {
    const { scrollTop = 0, clientHeight = 800 } = box.current ?? {}
    window.value = { top: scrollTop, height: clientHeight }
  }
  useEffect(() => {
    measure()
    const watching = new ResizeObserver(measure)
    if (box.current) watching.observe(box.current)
    return () => watching.disconnect()
  }, [])
  useEffect(() => {
    if (follow && box.current) box.current.scrollTop = total
  }, [follow, total])
  useEffect(() => {
    const at = shown === undefined ? -1 : rows.findIndex(row => keyOf(row) === shown)
    if (at >= 0) bringIntoSight(box.current, tops[at] ?? 0)
  }, [shown, rows.length])
  const first = Math.max(0, indexAt(tops, window.value.top - BEYOND) - 1)
  const last = indexAt(tops, window.value.top + window.value.height + BEYOND)
  return (
    <div class="virtual" ref={box} onScroll={measure} tabIndex={-1}>
      <ul aria-label={label} style={{ height: `${total}px` }}>
        {rows.slice(first, last + 1).map((row, i) => (
          <li
            key={keyOf(row)}
            aria-setsize={rows.length}
            aria-posinset={first + i + 1}
            style={{ top: `${tops[first + i] ?? 0}px`, height: `${height(row)}px` }}
          >
            {draw(row)}
          </li>
        ))}
      </ul>
    </div>
  )
}

function topsOf<T>(rows: readonly T[], height: (row: T) => number): readonly number[] {
  const tops = [0]
  for (const row of rows) tops.push((tops.at(-1) ?? 0) + height(row))
  return tops
}

/** The last row that begins before a place. */
function indexAt(tops: readonly number[], place: number): number {
  let low = 0
  let high = tops.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((tops[middle] ?? 0) <= place) low = middle
    else high = middle - 1
  }
  return low
}

function bringIntoSight(box: HTMLElement | null, top: number): void {
  if (!box || (top >= box.scrollTop && top < box.scrollTop + box.clientHeight - 64)) return
  box.scrollTop = Math.max(0, top - box.clientHeight / 3)
}
