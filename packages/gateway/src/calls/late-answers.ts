import { RpcError, fault } from '@causeway/engine'
import { asOwn } from '@causeway/engine/internal'
import { resultStep } from '@causeway/engine/policies'
import type { Policy } from '@causeway/engine'

/** A server that did not answer in time is named, with what can be done about it. */
export const lateAnswers = (server: string): Policy =>
  resultStep({
    onError(error, call) {
      // Where the call itself ran out of time, the error names the server already.
      if (!(error instanceof RpcError) || error.kind !== 'timeout' || call.cancellation.cancelled) throw error
      const { timeoutMs } = (error.data ?? {}) as { timeoutMs?: number }
      const within = timeoutMs === undefined ? 'in time' : `within ${timeoutMs / 1000} s`
      const hint = 'Ask for less, or try again later. Its entry among the servers can have a longer "timeout".'
      const words = `The server '${server}' did not answer ${call.method} ${within}`
      throw asOwn(fault('timeout', words, error.data, { hint }))
    },
  })
