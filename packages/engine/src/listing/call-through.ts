import type { Awaitable, Call, Policy } from '../call.ts'
import { RpcError, fault } from '../jsonrpc/errors.ts'
import { isObject } from '../jsonrpc/message.ts'
import type { Result } from '../jsonrpc/message.ts'
import { CALL_TOOL, FIND_TOOLS } from './search-names.ts'

/**
 * Turns a call of `call_tool` into one of the tool it names. It stands outside of all other policies, so that audit,
 * rights, limits and questions see the tool itself; what came malformed is left to `call_tool`, which refuses it.
 */
export const callThrough: Policy = (call, next) => {
  if (call.params.name !== CALL_TOOL || call.method !== 'tools/call') return next(call)
  const real = realCall(call)
  if (!real) return next(call)
  let result: Awaitable<Result>
  try {
    result = next(real)
  } catch (error) {
    return refuse(error)
  }
  return result instanceof Promise ? result.catch(refuse) : result
}

function realCall(call: Call): Call | undefined {
  const { arguments: sent } = call.params
  if (!isObject(sent)) return undefined
  const { name, arguments: args = {}, ...others } = sent
  if (typeof name !== 'string' || name === CALL_TOOL || !isObject(args) || Object.keys(others).length > 0)
    return undefined
  return { ...call, params: { ...call.params, name, arguments: args }, through: CALL_TOOL }
}

/** To the client the name is an argument like any other, so that a wrong one is for the model to mend. */
function refuse(error: unknown): never {
  if (!(error instanceof RpcError) || error.kind !== 'unknown-tool') throw error
  const { message, hint = '', data } = error
  const nearest = hint === '' || message.endsWith(hint) ? '' : ` ${hint}`
  const said = /[.!?]$/.test(message) ? message : `${message}.`
  throw fault('tool-failed', `${said}${nearest} ${FIND_TOOLS} finds tools by what they do.`, data)
}
