import type { Awaitable } from '../../call.ts'
import { requiredScopes } from '../../auth/scopes.ts'
import { inDialect } from '../../errors/error-response.ts'
import { RpcError } from '../../jsonrpc/errors.ts'
import { failure } from '../../jsonrpc/message.ts'
import type { Response } from '../../jsonrpc/message.ts'
import type { Exchange } from '../http/exchange.ts'
import type { BatchOptions } from '../serve/serve-batch.ts'
import type { HttpShared } from './http-shared.ts'

/** How a batch is served: where scopes decide, none of it runs before that is decided for all of it. */
export const batchOptions = (
  { principal }: Exchange,
  { budget, decidesScopes }: HttpShared,
  onAllowed: () => Awaitable<unknown> = () => {},
): BatchOptions => ({ budget, ...(principal && decidesScopes && { onAllowed }) })

/** The answer to a batch whose caller lacks scopes, for a 403 that asks for all that it needs; any other error goes on. */
export function lackedRights(error: unknown, exchange: Exchange, { server, challenge }: HttpShared): string {
  if (!(error instanceof RpcError) || error.kind !== 'insufficient-scope') throw error
  const response: Response = failure(null, inDialect(error, server.dialect))
  exchange.setHeader('WWW-Authenticate', challenge(requiredScopes(response), exchange))
  return JSON.stringify(response)
}
