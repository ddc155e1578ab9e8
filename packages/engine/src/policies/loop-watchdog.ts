import type { Call, Policy } from '../call.ts'
import { onlyWork } from './policy.ts'

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
export function loopWatchdog({ blocked, leastMs = 500 }: LoopWatchdog): Policy {
  /** The calls that are not done, and those that were done since the clock last struck. */
  const running = new Map<symbol, string>()
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
  const watch = (name: string): (() => void) => {
    const key = Symbol()
    running.set(key, name)
    if (!clock) {
      clock = setInterval(strike, EVERY_MS).unref()
      last = performance.now()
    }
    return () => {
      running.delete(key)
      ended.add(name)
    }
  }
  return onlyWork(function loopWatchdog(call, next) {
    const began = performance.now()
    try {
      const result = next(call)
      return result instanceof Promise ? result.finally(watch(nameOf(call))) : result
    } finally {
      // What a call does before it first waits is its own doing, whoever else is waiting.
      const took = performance.now() - began
      if (took >= leastMs) {
        blocked([nameOf(call)], took)
        last = performance.now()
      }
    }
  })
}

const nameOf = ({ method, params }: Call): string =>
  method === 'tools/call' ? String(params.name).slice(0, LONGEST_NAME) : method
