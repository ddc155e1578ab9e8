import type { Ask, Caller } from '../call.ts'
import { fault } from '../jsonrpc/errors.ts'
import { isObject } from '../jsonrpc/message.ts'
import type { Params, Result } from '../jsonrpc/message.ts'

/** What a client can be asked for: a capability, or a variant of one. */
export type Asking = 'elicitation' | 'elicitation.url' | 'sampling' | 'sampling.tools' | 'roots'

/** One kind of question that a client can be asked. */
interface QuestionKind {
  readonly method: string
  /** What a client declares to be asked. */
  readonly capability: Asking
  /** The name inside the capability that stands for the plain question, where it has one. */
  readonly plain?: string
  /** Variants, which are declared by a name inside the capability. */
  readonly variants: readonly string[]
  /** The variant that a question is, if it is one. */
  variantOf?(params: Params): string | undefined
}

// Every kind of question, a row each: all that is known of them follows from here.
const rows: readonly QuestionKind[] = [
  {
    method: 'elicitation/create',
    capability: 'elicitation',
    plain: 'form',
    variants: ['url'],
    variantOf: ({ mode }) => (mode === 'url' ? 'url' : undefined),
  },
  {
    method: 'sampling/createMessage',
    capability: 'sampling',
    variants: ['tools'],
    variantOf: ({ tools, toolChoice }) => ((tools ?? toolChoice) ? 'tools' : undefined),
  },
  { method: 'roots/list', capability: 'roots', variants: [] },
]

const namesOf = ({ capability, variants }: QuestionKind): string[] => [
  capability,
  ...variants.map(variant => `${capability}.${variant}`),
]

/** Everything a client can be asked for. */
export const ALL_ASKINGS: readonly string[] = rows.flatMap(namesOf)

/** What a client declares that can be asked for everything. */
export const ALL_CAPABILITIES: Params = Object.fromEntries(
  rows.map(({ capability, plain, variants }) => [
    capability,
    Object.fromEntries([...(plain === undefined ? [] : [plain]), ...variants].map(name => [name, {}])),
  ]),
)

/** Who is asked, as far as it matters for questions. */
type Askable = Pick<Caller, 'revision' | 'capabilities'>

const NOTHING: Params = Object.freeze({})

/** What a client can be asked for, as it would be declared in neutral terms. */
export function askableCapabilities(caller: Askable): Params {
  if (Object.keys(caller.capabilities).length === 0) return NOTHING
  const declared = rows.flatMap(({ capability, plain, variants }) => {
    const has = variants.filter(variant => canAsk(caller, `${capability}.${variant}`))
    const isPlain = canAsk(caller, capability)
    const names = isPlain && plain !== undefined ? [plain, ...has] : has
    return isPlain || has.length > 0 ? [[capability, Object.fromEntries(names.map(name => [name, {}]))] as const] : []
  })
  return Object.fromEntries(declared)
}

/** Can this client be asked for that? */
export function canAsk({ revision, capabilities }: Askable, what: string): boolean {
  const [capability = '', variant] = what.split('.')
  const declared = capabilities[capability]
  if (!revision.questions.has(what) || !isObject(declared)) return false
  if (variant !== undefined) return isObject(declared[variant])
  const row = rows.find(one => one.capability === capability)
  // Who declares only variants can be asked only these.
  return (
    row?.plain === undefined || isObject(declared[row.plain]) || !row.variants.some(name => isObject(declared[name]))
  )
}

/** Refuse to ask a client for something it cannot do, with what it would have to declare. */
export function checkAsk(ask: Ask, caller: Askable): void {
  const what = askingOf(ask)
  if (canAsk(caller, what)) return
  const [capability = '', variant] = what.split('.')
  const requiredCapabilities = { [capability]: variant === undefined ? {} : { [variant]: {} } }
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

/** Is it the method of a question? */
export const isQuestion = (method: string): boolean => rows.some(row => row.method === method)

function askingOf({ method, params }: Ask): string {
  const row = rows.find(one => one.method === method)
  if (!row) throw new TypeError(`No client can be asked for ${method}`)
  const variant = row.variantOf?.(params)
  return variant === undefined ? row.capability : `${row.capability}.${variant}`
}
