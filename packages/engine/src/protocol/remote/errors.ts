import type { Revision } from '../../call.ts'
import { RpcError, codes } from '../../jsonrpc/errors.ts'
import { isObject } from '../../jsonrpc/message.ts'

// Codes that mean only one kind of error, in any revision.
const UNAMBIGUOUS = new Map(
  (['header-mismatch', 'missing-capability', 'unsupported-version'] as const).map(kind => [
    codes[kind] as number,
    kind,
  ]),
)

/** An error as a server sent it; whatever it sent. */
export function errorOf(error: unknown, kindOf?: Revision['kindOf']): RpcError {
  const { code, message, data } = isObject(error) ? error : {}
  const number = typeof code === 'number' ? code : -32603
  const kind = kindOf?.(number) ?? UNAMBIGUOUS.get(number)
  const neutral = kind !== undefined && Object.hasOwn(codes, kind) ? codes[kind as keyof typeof codes] : number
  return new RpcError(neutral, typeof message === 'string' ? message : 'The server answered with an error', data, {
    ...(kind !== undefined && { kind }),
  })
}
