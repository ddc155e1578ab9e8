import type { Policy } from '@causeway/engine'

/** The calls that are running, for whoever waits for them. */
export interface RunningCalls {
  readonly policy: Policy
  /** Such as `2 calls (ci_build, git_log)`; undefined when nothing runs. */
  describe(): string | undefined
}

const MOST = 5

/** Keep count of what runs, by the name of the tool or the method. */
export function runningCalls(): RunningCalls {
  const running = new Map<symbol, string>()
  return {
    policy: function countRunning(call, next) {
      const result = next(call)
      if (!(result instanceof Promise)) return result
      const { name } = call.params
      const key = Symbol()
      running.set(key, call.method === 'tools/call' && typeof name === 'string' ? name : call.method)
      return result.finally(() => running.delete(key))
    },
    describe() {
      if (running.size === 0) return undefined
      const names = [...new Set(running.values())]
      const more = names.length > MOST ? ', …' : ''
      return `${running.size} ${running.size === 1 ? 'call' : 'calls'} (${names.slice(0, MOST).join(', ')}${more})`
    },
  }
}
