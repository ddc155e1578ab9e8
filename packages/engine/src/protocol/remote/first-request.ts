import type { Revision } from '../../call.ts'
import type { Introduction } from '../../client/remote.ts'
import type { ClientTransport, Mirrors } from '../../client/transports/transport.ts'
import { fault } from '../../jsonrpc/errors.ts'
import { isObject, notification } from '../../jsonrpc/message.ts'
import type { Params, Request, Result } from '../../jsonrpc/message.ts'
import type { Implementation } from '../../wire.ts'
import { asImplementation } from '../client-values.ts'
import { errorOf } from './errors.ts'

/** What a server said of itself. */
export interface ServerFacts {
  readonly capabilities: Params
  readonly server: Implementation | undefined
  readonly instructions: string | undefined
}

/** What a handshake came to. */
export interface Agreement extends ServerFacts {
  readonly revision: Revision
}

/** What a result says of its server. */
export const factsIn = ({ capabilities, instructions }: Result, server: unknown): ServerFacts => ({
  capabilities: isObject(capabilities) ? capabilities : {},
  server: asImplementation(server),
  instructions: typeof instructions === 'string' ? instructions : undefined,
})

let count = 0

/** A request before anything is agreed on. */
export function firstRequest(
  transport: ClientTransport,
  { method, params, mirrors }: { method: string; params: Params; mirrors?: Mirrors },
  { startTimeoutMs }: Pick<Introduction, 'startTimeoutMs'>,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const request: Request = { jsonrpc: '2.0', id: `start-${++count}`, method, params }
    const giveUp = (): void => {
      transport.cancel(request)
      // A handshake cannot be cancelled.
      if (method !== 'initialize' && !transport.bound)
        transport.send(notification('notifications/cancelled', { requestId: request.id, reason: 'It took too long' }))
      reject(fault('timeout', `The server did not answer ${method} within ${startTimeoutMs / 1000} s`))
    }
    let late = setTimeout(giveUp, startTimeoutMs)
    const sink = {
      onHold(isHeld: boolean): void {
        clearTimeout(late)
        if (!isHeld) late = setTimeout(giveUp, startTimeoutMs)
      },
      onMessage: () => {},
      onResponse(response: object): void {
        clearTimeout(late)
        if ('error' in response) reject(errorOf(response.error))
        else if ('result' in response && isObject(response.result)) resolve(response.result)
        else reject(fault('internal', `The server answered ${method} without an object`))
      },
      onLost(why: Error): void {
        clearTimeout(late)
        reject(why)
      },
    }
    transport.request(request, sink, mirrors)
  })
}
