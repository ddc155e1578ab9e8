import type { Ask, Caller } from '../call.ts'
import { fault } from '../jsonrpc/errors.ts'
import { isObject } from '../jsonrpc/message.ts'
import type { Result } from '../jsonrpc/message.ts'

/** What a client can be asked for. */
export type Asking = 'elicitation' | 'elicitation.url' | 'sampling' | 'sampling.tools' | 'roots'

/** Can this client be asked for that? */
export function canAsk({ revision, capabilities }: Caller, what: Asking): boolean {
  const [kind = '', mode] = what.split('.')
  const declared = capabilities[kind]
  if (!revision.questions.has(what) || !isObject(declared)) return false
  if (mode !== undefined) return isObject(declared[mode])
  return kind !== 'elicitation' || isObject(declared.form) || !isObject(declared.url)
}

/** Refuse to ask a client for something it cannot do, with what it would have to declare. */
export function checkAsk(ask: Ask, caller: Caller): void {
  const what = askingOf(ask)
  if (canAsk(caller, what)) return
  const [kind = '', mode] = what.split('.')
  const requiredCapabilities = { [kind]: mode === undefined ? {} : { [mode]: {} } }
  throw fault('missing-capability', `This needs a client that supports ${what}`, { requiredCapabilities })
}

/** What a result asks of this client, by question; undefined if it is an answer. Each question is one the client can be asked. */
export function asksOf(result: Result, caller: Caller): Readonly<Record<string, Ask>> | undefined {
  if (result.resultType !== 'input_required') return undefined
  const asks = isObject(result.inputRequests) ? result.inputRequests : {}
  for (const [key, ask] of Object.entries(asks)) {
    if (!isAsk(ask)) throw new TypeError(`The question '${key}' needs a method and params`)
    checkAsk(ask, caller)
  }
  return asks as Readonly<Record<string, Ask>>
}

const isAsk = (ask: unknown): ask is Ask => isObject(ask) && typeof ask.method === 'string' && isObject(ask.params)

function askingOf({ method, params }: Ask): Asking {
  if (method === 'elicitation/create') return params.mode === 'url' ? 'elicitation.url' : 'elicitation'
  if (method === 'sampling/createMessage') return (params.tools ?? params.toolChoice) ? 'sampling.tools' : 'sampling'
  if (method === 'roots/list') return 'roots'
  throw new TypeError(`No client can be asked for ${method}`)
}
