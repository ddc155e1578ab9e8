import { DURATION_BOUNDS } from '@causeway/engine/policies'
import type { SpanAttributes } from '@causeway/engine/policies'
import type { DurationPoint, DurationSeries } from './otlp-json.ts'

// Names of tools are attributes: what is over this is not told apart.
const MOST_POINTS = 2000

interface Point {
  readonly attributes: SpanAttributes
  readonly bucketCounts: number[]
  count: number
  sum: number
  min: number
  max: number
}

/** Counts durations by their attributes. */
export class Durations {
  readonly #name: string
  readonly #startMs: number = Date.now()
  readonly #points = new Map<string, Point>()

  constructor(name: string) {
    this.#name = name
  }

  add(seconds: number, attributes: SpanAttributes): void {
    const point = this.#pointOf(attributes)
    const bucket = DURATION_BOUNDS.findIndex(bound => seconds <= bound)
    const index = bucket < 0 ? DURATION_BOUNDS.length : bucket
    point.bucketCounts[index] = (point.bucketCounts[index] ?? 0) + 1
    point.count += 1
    point.sum += seconds
    point.min = Math.min(point.min, seconds)
    point.max = Math.max(point.max, seconds)
  }

  get series(): DurationSeries {
    const points: DurationPoint[] = [...this.#points.values()]
    return { name: this.#name, bounds: DURATION_BOUNDS, startMs: this.#startMs, points }
  }

  #pointOf(attributes: SpanAttributes): Point {
    const key = JSON.stringify(attributes)
    const known = this.#points.get(key)
    if (known) return known
    if (this.#points.size >= MOST_POINTS) {
      const other = { 'mcp.method.name': '_OTHER' }
      if (attributes['mcp.method.name'] !== '_OTHER') return this.#pointOf(other)
    }
    const bucketCounts = Array.from({ length: DURATION_BOUNDS.length + 1 }, () => 0)
    const fresh = { attributes, bucketCounts, count: 0, sum: 0, min: Infinity, max: 0 }
    this.#points.set(key, fresh)
    return fresh
  }
}
