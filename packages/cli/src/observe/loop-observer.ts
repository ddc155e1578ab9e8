import type { Log } from '@causeway/engine'
import { loopWatchdog } from '@causeway/engine/policies'
import type { CallObserver } from '@causeway/engine/policies'

/** A tool that keeps all others waiting is a fault of ours, and the operator can say which it was. */
export const loopObserver = (log: Log): CallObserver =>
  loopWatchdog({
    blocked: (tools, ms) =>
      log('warn', `${tools.join(', ')} blocked the event loop for ${Math.round(ms)} ms`, { tools }),
  })
