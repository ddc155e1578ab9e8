import { after } from '../awaitable.ts'
import type { Awaitable, Call, Handle, Policy } from '../call.ts'
import type { Info, Shelf, TemplateEntry } from '../catalog/shelf.ts'
import type { Source } from '../catalog/source.ts'
import type { Tool } from '../define/define.ts'
import { isObject } from '../jsonrpc/message.ts'
import type { Result } from '../jsonrpc/message.ts'
import { leastSize } from '../policies/result-limit.ts'
import { resultStep } from '../policies/result-step.ts'
import { Invalid, compile } from '../schema/schema.ts'
import type { JsonSchema } from '../schema/schema.ts'
import { memoryStore } from '../stores/memory.ts'
import type { Values } from '../stores/store.ts'
import { fitMessage, fitResult } from './fit-result.ts'
import type { Fitting } from './fit-result.ts'
import { ResultStore } from './result-store.ts'
import type { ResultStoreLimits } from './result-store.ts'
import { READ_RESULT } from './meta-keys.ts'
import { readResult } from './read-result.ts'
import { RESULT_TEMPLATE, readRange } from './result-uri.ts'

/** What can be chosen about the size of results. */
export interface ResultBudgetOptions {
  /** Tokens that the text of a result may have. */
  readonly tokens: number
  /** The definition of a tool, whose output schema a shortened result must still fit. */
  readonly definitionOf?: (tool: string, call: Call) => Awaitable<Info | undefined>
  /** Where whole results are kept. Default: in memory. */
  readonly store?: Values
  /** The process that has them, where several serve one port without a shared store: requests for them are passed on to it. */
  readonly worker?: string
  /** How many are kept, and for how long. Default: 15 minutes, 50 and 32 M characters a client, 128 M in all. */
  readonly limits?: Partial<ResultStoreLimits>
  readonly now?: () => number
}

/** The parts of a budget: `server.use(policy)` shortens results, `server.mount(source)` and `server.add(tool)` let the whole be read. */
export interface ResultBudget {
  readonly policy: Policy
  readonly source: Source
  /** Reads on in what was cut, for models whose host reads no resources. */
  readonly tool: Tool
  /** The results that are kept whole. */
  readonly kept: Pick<ResultStore, 'size'>
}

const LIMITS: ResultStoreLimits = {
  ttlMs: 15 * 60_000,
  perClient: { results: 50, characters: 32 * 1024 * 1024 },
  inAll: { results: 1000, characters: 128 * 1024 * 1024 },
}
// About what a token has, and what it has at most in usual text.
const PER_TOKEN = 3
const MOST_PER_TOKEN = 6

/** Results of tools that are longer than a model can use become excerpts; the whole can be read in ranges for a while. */
export function resultBudget(options: ResultBudgetOptions): ResultBudget {
  const { tokens, store = memoryStore(options.now && { now: options.now }) } = options
  const limits = { ...LIMITS, ...options.limits }
  const kept = new ResultStore(store, limits, options)
  const fitting: Fitting = {
    tokens,
    rangeLimit: tokens * PER_TOKEN,
    keptMinutes: Math.max(1, Math.round(limits.ttlMs / 60_000)),
    keep: (call, whole) => orUndefined(() => kept.keep(call, whole)),
    isValid: validator(options),
  }
  const fit = (result: Result, call: Call): Awaitable<Result> =>
    isLeftAlone(call) || isSmall(result, tokens)
      ? result
      : after(options.definitionOf?.(String(call.params.name), call), info =>
          info && isForViews(info) ? result : fitResult(call, result, fitting),
        )
  const fitError = (error: unknown, call: Call): Awaitable<never> => {
    const isLong = error instanceof Error && error.message.length > tokens
    if (!isLong || isLeftAlone(call)) throw error
    return after(fitMessage(call, error, fitting), message => {
      error.message = message
      throw error
    })
  }
  const policy = resultStep({ onResult: fit, onError: fitError })
  const read = readRange(kept, { usual: tokens * PER_TOKEN, most: tokens * MOST_PER_TOKEN })
  return { policy, kept, source: sourceOf(read), tool: readResult(read) }
}

/** What reads a range has as much as was asked for. */
const isLeftAlone = ({ method, direct, params }: Call): boolean =>
  method !== 'tools/call' || direct || params.name === READ_RESULT

/** What a view alone asks for costs no model anything. */
function isForViews({ _meta: meta }: Info): boolean {
  const visibility = isObject(meta) && isObject(meta.ui) ? meta.ui.visibility : undefined
  return Array.isArray(visibility) && !visibility.includes('model')
}

/** A store that fails costs the whole, not the excerpt. */
function orUndefined<T>(work: () => Awaitable<T | undefined>): Awaitable<T | undefined> {
  try {
    const value = work()
    return value instanceof Promise ? value.catch(() => undefined) : value
  } catch {
    return undefined
  }
}

/** A block, as far as it may have a text: its own, or that of the resource in it. */
interface Worded {
  readonly text?: unknown
  readonly resource?: { readonly text?: unknown }
}

/** Told by lengths alone: no text has more tokens than characters, but for rare scripts. */
function isSmall({ content, structuredContent }: Result, most: number): boolean {
  if (!Array.isArray(content)) return true
  let sum = 0
  let last = ''
  for (const block of content as readonly Worded[]) {
    const words = block.text ?? block.resource?.text
    if (typeof words !== 'string') continue
    last = words
    sum += last.length
  }
  if (sum > most) return false
  // One text that looks like JSON is that of the structured part.
  if (structuredContent === undefined || (content.length === 1 && isJsonLike(last))) return true
  return leastSize(structuredContent, most) <= most
}

const isJsonLike = (text: string): boolean => {
  const [first, last] = [text[0], text.at(-1)]
  return (first === '{' && last === '}') || (first === '[' && last === ']')
}

/** Checks against the output schema that the tool lists, compiled once; a schema that cannot be compiled accepts nothing. */
function validator({ definitionOf }: ResultBudgetOptions): Fitting['isValid'] {
  const accepting = new WeakMap<object, (value: unknown) => Awaitable<boolean>>()
  return (call, structured) =>
    after(definitionOf?.(String(call.params.name), call), info => {
      const schema = info?.outputSchema
      if (typeof schema !== 'object' || schema === null) return true
      const known = accepting.get(schema) ?? accepts(schema as JsonSchema)
      accepting.set(schema, known)
      return known(structured)
    })
}

function accepts(schema: JsonSchema): (value: unknown) => Awaitable<boolean> {
  try {
    const checker = compile(schema, 'output')
    return value => after(checker.check(value), checked => !(checked instanceof Invalid))
  } catch {
    return () => false
  }
}

/** The results that are kept, as a family of resources. */
function sourceOf(read: Handle): Source {
  const entry: TemplateEntry = {
    key: RESULT_TEMPLATE,
    info: {
      uriTemplate: RESULT_TEMPLATE,
      name: 'result',
      title: 'Whole results',
      description:
        'The whole of a result that was shown as an excerpt, in ranges of characters; each says where the next begins.',
    },
    matches: uri => uri.startsWith('result://'),
    run: read,
  }
  const entries = [entry]
  const templates: Shelf<TemplateEntry> = {
    shared: true,
    list: () => entries,
    find: key => (key === entry.key ? entry : undefined),
  }
  return { name: 'results', templates }
}
