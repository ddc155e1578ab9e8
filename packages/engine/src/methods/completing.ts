import { adopt, after } from '../awaitable.ts'
import type { Handle } from '../call.ts'
import type { Completer } from '../define/define.ts'
import { fault } from '../jsonrpc/errors.ts'
import { cut, isObject } from '../jsonrpc/message.ts'
import type { Params, Result } from '../jsonrpc/message.ts'

const MOST = 100
const LONGEST = 10_000

/** Completes the arguments of a feature of this server: those it has, by what each proposes. */
export const completing =
  (completers: ReadonlyMap<string, Completer | undefined>): Handle =>
  ({ params }) => {
    const { name, value } = argumentOf(params)
    if (!completers.has(name)) throw noSuchArgument(name, [...completers.keys()])
    const completer = completers.get(name)
    if (completer === undefined) return proposals([])
    if (typeof completer === 'function')
      return after(adopt(completer(value, otherArguments(params.context))), proposals)
    const start = value.toLowerCase()
    return proposals(completer.filter(proposed => proposed.toLowerCase().startsWith(start)))
  }

/** Proposed values as a result, as many as the protocol allows. */
export const proposals = (values: readonly string[]): Result => ({
  completion: { values: values.slice(0, MOST), total: values.length, hasMore: values.length > MOST },
})

/** What a server elsewhere proposes may be anything: texts that can be used stay, as many as the protocol allows. */
export function wellFormed(result: Result): Result {
  const { values, total, hasMore } = isObject(result.completion) ? result.completion : {}
  const texts = Array.isArray(values)
    ? values.filter(value => typeof value === 'string' && value.length <= LONGEST)
    : []
  return {
    ...result,
    completion: {
      values: texts.slice(0, MOST),
      ...(Number.isSafeInteger(total) && { total }),
      ...(texts.length > MOST ? { hasMore: true } : typeof hasMore === 'boolean' && { hasMore }),
    },
  }
}

/** The argument that is to be completed, and what was typed so far. */
export function argumentOf({ argument }: Params): { name: string; value: string } {
  const { name, value } = isObject(argument) ? argument : {}
  if (typeof name === 'string' && typeof value === 'string') return { name, value }
  throw fault('invalid-params', 'Invalid params: "argument" must be an object with the strings "name" and "value"')
}

const noSuchArgument = (name: string, known: readonly string[]): Error =>
  fault(
    'invalid-params',
    `Invalid params: there is no argument '${cut(name, 100)}', only ${known.join(', ') || 'none'}`,
  )

function otherArguments(context: unknown): Record<string, string> {
  const given = isObject(context) && isObject(context.arguments) ? context.arguments : {}
  return Object.fromEntries(
    Object.entries(given).filter((pair): pair is [string, string] => typeof pair[1] === 'string'),
  )
}
