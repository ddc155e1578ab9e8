import { monitorEventLoopDelay } from 'node:perf_hooks'

/** How long the event loop kept what was due waiting, in seconds. */
export interface LoopDelay {
  readonly p50: number
  readonly p99: number
  readonly max: number
}

const RESOLUTION_MS = 20
// A monitor that asks more often than this sees the same while again, and a little more.
const WINDOW_MS = 15_000
const NANO = 1e-9

/** Measures the event loop from the first time it is read. */
export function loopDelay(): { read(): LoopDelay } {
  let histogram: ReturnType<typeof monitorEventLoopDelay> | undefined
  let since = 0
  return {
    read() {
      if (!histogram) {
        histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
        histogram.enable()
        since = performance.now()
      }
      // The timer itself takes its resolution.
      const seconds = (nanoseconds: number): number => Math.max(0, nanoseconds * NANO - RESOLUTION_MS / 1000)
      const isEmpty = histogram.count === 0
      const read = (value: number): number => (isEmpty ? 0 : seconds(value))
      const { max } = histogram
      const delay = { p50: read(histogram.percentile(50)), p99: read(histogram.percentile(99)), max: read(max) }
      if (performance.now() - since > WINDOW_MS) {
        histogram.reset()
        since = performance.now()
      }
      return delay
    },
  }
}
