import type { Log } from './log.ts'

/** A log that takes one line in a while, for what may happen with every request. */
export function rarely(log: Log, eachMs = 60_000): Log {
  let last = -Infinity
  return (level, message, details) => {
    if (performance.now() - last < eachMs) return
    last = performance.now()
    log(level, message, details)
  }
}
