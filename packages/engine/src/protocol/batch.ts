import type { Revision } from '../call.ts'
import { fault } from '../jsonrpc/errors.ts'
import type { RpcError } from '../jsonrpc/errors.ts'
import { isObject } from '../jsonrpc/message.ts'
import { describesItself } from './envelope.ts'

const LONGEST_BATCH = 1000

/** Why an array of messages is refused as a whole, if it is; the revision is that of its session, once that is known. */
export function refuseBatch(
  batch: readonly unknown[],
  revision: Revision | undefined,
  versionHeader?: string,
): RpcError | undefined {
  if (batch.length === 0) return invalid('the batch is empty')
  if (batch.length > LONGEST_BATCH) return invalid(`a batch may hold at most ${LONGEST_BATCH} messages`)
  if (revision?.traits.batch === false || batch.some(message => describesItself(message, versionHeader))) {
    return invalid('this revision of the protocol has no batches')
  }
  return undefined
}

/** Why one message of a batch is refused, if it is: a handshake stands alone. */
export const refuseMember = (message: unknown): RpcError | undefined =>
  isObject(message) && message.method === 'initialize' ? invalid('initialize cannot be part of a batch') : undefined

const invalid = (why: string): RpcError => fault('invalid-request', `Invalid Request: ${why}`)
