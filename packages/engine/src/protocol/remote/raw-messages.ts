import { isObject } from '../../jsonrpc/message.ts'
import type { Params, Result } from '../../jsonrpc/message.ts'
import type { Mirrors } from '../../client/transports/transport.ts'
import { META } from '../keys.ts'
import { find } from '../revisions.ts'
import { mirrorsOf } from './mirrors.ts'

/** The headers of a request as it was received, and the revision that it names, if it describes itself. */
export function mirrorsFor(
  method: string,
  params: Params,
): { readonly mirrors: Mirrors; readonly version: string | undefined } {
  const version = isObject(params._meta) ? params._meta[META.protocolVersion] : undefined
  return { mirrors: mirrorsOf(method, params), version: typeof version === 'string' ? version : undefined }
}

/** A result that was recorded in a revision, in the neutral model; as it is if the revision is not known. */
export const readResultOf = (version: unknown, method: string, result: Result): Result =>
  find(version)?.readResult(method, result) ?? result
