import type { Call } from '../call.ts'
import { ShortLivedMap } from '../jsonrpc/short-lived-map.ts'
import type { CallObserver } from './observe.ts'
import { unref } from '../support/unref.ts'

/** How to watch the event loop. */
export interface LoopWatchdog {
  /** Hears what ran while nothing else could, and for how long; where several calls were waiting, all are named. */
  blocked(names: readonly string[], ms: number): void
  /** Shorter is not worth a word. Default: half a second. */
  readonly leastMs?: number
}

const EVERY_MS = 100
const LONGEST_NAME = 100

/** Name the calls that kept the event loop, and with it every other call, waiting. */
export function loopWatchdog({ blocked, leastMs = 500 }: LoopWatchdog): CallObserver {
  /** The calls that are not done, and those that were done since the clock last struck. */
  const running = new ShortLivedMap<Call, string>()
  const ended = new Set<string>()
  let clock: NodeJS.Timeout | undefined
  let last = 0
  const strike = (): void => {
    const late = performance.now() - last - EVERY_MS
    if (late >= leastMs) blocked([...new Set([...ended, ...running.values()])], late)
    ended.clear()
    last = performance.now()
    if (running.size > 0) return
    clearInterval(clock)
    clock = undefined
  }
  // What a call does before it first waits is its own doing, whatever else is waiting.
  const judge = (call: Call, busyMs: number): void => {
    if (busyMs < leastMs) return
    blocked([nameOf(call)], busyMs)
    last = performance.now()
  }
  return {
    onWait(call, busyMs) {
      if (!call.descriptor.work) return
      judge(call, busyMs)
      running.set(call, nameOf(call))
      if (clock) return
      clock = unref(setInterval(strike, EVERY_MS))
      last = performance.now()
    },
    onEnd(call, { waited, durationMs }) {
      if (!waited) {
        if (call.descriptor.work) judge(call, durationMs)
        return
      }
      const name = running.get(call)
      if (name === undefined) return
      running.delete(call)
      ended.add(name)
    },
  }
}

const nameOf = ({ method, params }: Call): string =>
  method === 'tools/call' ? String(params.name).slice(0, LONGEST_NAME) : method
