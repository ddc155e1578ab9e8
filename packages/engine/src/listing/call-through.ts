import { after } from '../awaitable.ts'
import type { Awaitable, Call, Policy } from '../call.ts'
import { RpcError, fault } from '../jsonrpc/errors.ts'
import { isObject } from '../jsonrpc/message.ts'
import type { Result } from '../jsonrpc/message.ts'
import { noteRepairs, repairsOf, withRepairs } from '../results/repairs.ts'
import type { Repair, Repaired } from '../schema/repair.ts'
import { compile } from '../schema/schema.ts'
import type { Checker } from '../schema/schema.ts'
import { CALL_TOOL, FIND_TOOLS } from './search-names.ts'

/** What `call_tool` takes. */
export const CALL_SCHEMA = {
  type: 'object',
  properties: { name: { type: 'string', minLength: 1 }, arguments: { type: 'object' } },
  required: ['name'],
  additionalProperties: false,
} as const

interface Real {
  readonly call: Call
  readonly repairs: readonly Repair[]
}

/**
 * Turns a call of `call_tool` into one of the tool it names. It stands outside of all other policies, so that audit,
 * rights, limits and questions see the tool itself; what came malformed is left to `call_tool`, which refuses it.
 */
export function callThrough({ repair }: { readonly repair: boolean }): Policy {
  let checker: Checker | undefined
  const repaired = (sent: unknown): Repaired | undefined =>
    repair ? (checker ??= compile(CALL_SCHEMA)).repair(sent) : undefined
  return function callThroughAnother(call, next) {
    if (call.params.name !== CALL_TOOL || call.method !== 'tools/call') return next(call)
    const real = realCall(call, repaired)
    if (!real) return next(call)
    if (real.repairs.length > 0) noteRepairs(call, real.repairs)
    let result: Awaitable<Result>
    try {
      result = next(real.call)
    } catch (error) {
      return refuse(error)
    }
    const settled = result instanceof Promise ? result.catch(refuse) : result
    return real.repairs.length === 0 ? settled : after(settled, value => withAllRepairs(real, value))
  }
}

function realCall(call: Call, repaired: (sent: unknown) => Repaired | undefined): Real | undefined {
  const { arguments: sent } = call.params
  const whole = namedIn(sent)
  if (whole) return { call: { ...call, params: { ...call.params, ...whole }, through: CALL_TOOL }, repairs: [] }
  const mended = repaired(sent)
  const named = mended && namedIn(mended.value)
  if (!named) return undefined
  return { call: { ...call, params: { ...call.params, ...named }, through: CALL_TOOL }, repairs: mended.repairs }
}

interface Named {
  readonly name: string
  readonly arguments: object
}

function namedIn(sent: unknown): Named | undefined {
  if (!isObject(sent)) return undefined
  const { name, arguments: args = {}, ...others } = sent
  const isWhole = typeof name === 'string' && name !== '' && isObject(args) && Object.keys(others).length === 0
  return isWhole && name !== CALL_TOOL ? { name, arguments: args } : undefined
}

/** The tool may have had arguments of its own to repair. */
function withAllRepairs({ call, repairs }: Real, result: Result): Result {
  const own = repairsOf(call)?.filter(one => !repairs.includes(one)) ?? []
  noteRepairs(call, [...repairs, ...own])
  return withRepairs(call, result)
}

/** To the client the name is an argument like any other, so that the model can correct a wrong one. */
function refuse(error: unknown): never {
  if (!(error instanceof RpcError) || error.kind !== 'unknown-tool') throw error
  const { message, hint = '', data } = error
  const nearest = hint === '' || message.endsWith(hint) ? '' : ` ${hint}`
  const said = /[.!?]$/.test(message) ? message : `${message}.`
  throw fault('tool-failed', `${said}${nearest} ${FIND_TOOLS} finds tools by what they do.`, data)
}
