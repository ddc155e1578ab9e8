import { fault } from '../jsonrpc/errors.ts'
import type { RpcError } from '../jsonrpc/errors.ts'
import { isObject } from '../jsonrpc/message.ts'
import type { Response } from '../jsonrpc/message.ts'
import type { Principal } from './principal.ts'

/** Allows a principal to see what all clients do: the console's stream, metrics, the state of servers behind a gateway. */
export const OPERATOR_SCOPE = 'operator'

/** Which of these scopes a principal lacks. */
export const missingScopes = ({ scopes = [] }: Principal, wanted: readonly string[]): readonly string[] =>
  wanted.filter(scope => !scopes.includes(scope))

/** The refusal of a call that needs scopes its caller does not have; over HTTP it is a 403 that asks for them. */
export const insufficientScope = (scopes: readonly string[]): RpcError =>
  fault('insufficient-scope', needs(scopes), { requiredScopes: scopes })

/** The scopes that are missing, in words. */
export const needs = (scopes: readonly string[]): string =>
  `Forbidden: this needs a token with the scope${scopes.length === 1 ? '' : 's'} ${scopes.map(s => `'${s}'`).join(', ')}`

/** The scopes that a refusal of ours asks for. */
export function requiredScopes(response: Response): readonly string[] {
  const data = 'error' in response ? response.error.data : undefined
  const scopes = isObject(data) ? data.requiredScopes : undefined
  return Array.isArray(scopes) ? scopes.filter(scope => typeof scope === 'string') : []
}
