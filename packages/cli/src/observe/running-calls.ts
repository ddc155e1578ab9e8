import { ShortLivedMap } from '@causeway/engine/internal'
import type { Call } from '@causeway/engine'
import type { CallObserver } from '@causeway/engine/policies'

/** The calls that are running, for the message at shutdown. */
export interface RunningCalls extends CallObserver {
  /** Such as `2 calls (ci_build, git_log)`; undefined when nothing runs. */
  describe(): string | undefined
}

const MOST = 5

/** Keep count of what runs, by the name of the tool or the method. */
export function runningCalls(): RunningCalls {
  const running = new ShortLivedMap<Call, string>()
  return {
    onWait(call) {
      const { name } = call.params
      running.set(call, call.method === 'tools/call' && typeof name === 'string' ? name : call.method)
    },
    onEnd(call, { waited }) {
      if (waited) running.delete(call)
    },
    describe() {
      if (running.size === 0) return undefined
      const names = [...new Set(running.values())]
      const more = names.length > MOST ? ', …' : ''
      return `${running.size} ${running.size === 1 ? 'call' : 'calls'} (${names.slice(0, MOST).join(', ')}${more})`
    },
  }
}
