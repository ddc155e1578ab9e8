import { RpcError } from '../jsonrpc/errors.ts'
import { isObject } from '../jsonrpc/message.ts'

/** An answer as it is kept: a refusal is one, too. */
export const writtenAnswer = (answer: unknown): unknown =>
  answer instanceof RpcError ? { refused: { code: answer.code, message: answer.message } } : answer

/** And back again. */
export function readAnswer(answer: unknown): unknown {
  if (!isObject(answer) || !isObject(answer.refused)) return answer
  return new RpcError(Number(answer.refused.code), String(answer.refused.message))
}
