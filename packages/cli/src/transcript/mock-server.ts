import { Context, RpcError, createServer, fault, uriTemplate } from '@causeway/engine'
import type {
  Entry as Feature,
  Handle,
  Log,
  Params,
  Result,
  Server,
  Shelf,
  Source,
  TemplateEntry,
  ToolEntry,
} from '@causeway/engine'
import { canonicalJson, isObject, isQuestion } from '@causeway/engine/internal'
import { exchangesIn } from './exchanges.ts'
import type { Exchange } from './exchanges.ts'
import type { Transcript } from './transcript.ts'

// What of a request says nothing of what is wanted.
const ASIDE = new Set(['_meta', 'inputResponses', 'requestState', 'task'])

const keyOf = (method: string, params: Params): string =>
  canonicalJson([method, Object.fromEntries(Object.entries(params).filter(counts))])

const counts = ([name, value]: readonly [string, unknown]): boolean =>
  !ASIDE.has(name) && !(name === 'arguments' && isObject(value) && Object.keys(value).length === 0)

/** A server that has what a recorded one had, and answers as it did, in every revision. */
export function mockServer(transcript: Transcript, log: Log): Server {
  const exchanges = exchangesIn(transcript)
  const facts = exchanges.find(({ method }) => method === 'initialize' || method === 'server/discover')?.result ?? {}
  const { name, version } = serverIn(facts)
  const server = createServer({
    name,
    version,
    log,
    ...(typeof facts.instructions === 'string' && { instructions: facts.instructions }),
    repair: false,
  })
  return server.add(sourceOf(exchanges, log))
}

function serverIn(facts: Result): { name: string; version: string } {
  const meta = isObject(facts._meta) ? facts._meta['io.modelcontextprotocol/serverInfo'] : undefined
  const info = isObject(facts.serverInfo) ? facts.serverInfo : meta
  const { name, version } = isObject(info) ? info : {}
  return { name: typeof name === 'string' ? name : 'recorded', version: typeof version === 'string' ? version : '0' }
}

function sourceOf(exchanges: readonly Exchange[], log: Log): Source {
  const answers = new Map<string, Rounds>()
  for (const exchange of exchanges) {
    const key = keyOf(exchange.method, exchange.params)
    const rounds = answers.get(key) ?? new Rounds()
    rounds.add(exchange)
    answers.set(key, rounds)
  }
  const listed = ([method, member, key]: readonly [string, string, string]): (readonly [string, Params])[] => {
    const all = exchanges.filter(one => one.method === method).flatMap(({ result }) => arrayOf(result?.[member]))
    const named = all.flatMap(info => (typeof info[key] === 'string' ? [[info[key], info] as const] : []))
    if (named.length < all.length)
      log('warn', `left out ${member} without a ${key}`, { count: all.length - named.length })
    // A list that was asked for twice is one list.
    return [...new Map(named)]
  }
  const run: Handle = call => answerOf(answers, exchanges, call)
  const entry = ([key, info]: readonly [string, Params]): Feature => ({ key, info, run })
  const template = ([key, info]: readonly [string, Params]): TemplateEntry[] => {
    try {
      const { match } = uriTemplate(key)
      return [{ key, info, run, matches: uri => match(uri) !== undefined }]
    } catch (error) {
      log('warn', 'left out a template', { problem: error instanceof Error ? error.message : String(error) })
      return []
    }
  }
  return {
    name: 'recording',
    tools: shelf<ToolEntry>(listed(['tools/list', 'tools', 'name']).map(entry)),
    prompts: shelf(listed(['prompts/list', 'prompts', 'name']).map(entry)),
    resources: shelf(listed(['resources/list', 'resources', 'uri']).map(entry)),
    templates: shelf(listed(['resources/templates/list', 'resourceTemplates', 'uriTemplate']).flatMap(template)),
  }
}

const arrayOf = (value: unknown): Params[] => (Array.isArray(value) ? value.filter(isObject) : [])

function shelf<E extends Feature>(entries: readonly E[]): Shelf<E> {
  const known = new Map(entries.map(entry => [entry.key, entry]))
  return { list: () => entries, find: key => known.get(key), shared: true, isOffered: entries.length > 0 }
}

/** The recorded answers to one request, in their order; the last one again and again. */
class Rounds {
  readonly #exchanges: Exchange[] = []
  #next = 0

  add(exchange: Exchange): void {
    this.#exchanges.push(exchange)
  }

  /** What the client is asked before it is answered. */
  get asks(): Params {
    const asked = this.#exchanges.flatMap(({ asks, result }) => Object.entries({ ...asks, ...questionsIn(result) }))
    return Object.fromEntries(asked.filter(isAsked))
  }

  take(): Exchange | undefined {
    const ended = this.#exchanges.filter(({ result, error }) => error ?? result?.resultType !== 'input_required')
    return ended[Math.min(this.#next++, ended.length - 1)]
  }
}

function answerOf(answers: ReadonlyMap<string, Rounds>, all: readonly Exchange[], call: Parameters<Handle>[0]): Result {
  const { method, params } = call
  const rounds = answers.get(keyOf(method, params))
  const open = Object.entries(rounds?.asks ?? {}).filter(([key]) => !(key in call.answers))
  if (open.length > 0) return { resultType: 'input_required', inputRequests: Object.fromEntries(open) }
  const exchange = rounds?.take()
  if (!exchange) throw fault('invalid-params', unknownCall(method, params, all))
  const ctx = new Context(call)
  for (const { progress, message, total } of exchange.progress)
    ctx.progress(Number(progress), message as string | undefined, total as number | undefined)
  if (exchange.error) throw new RpcError(exchange.error.code, exchange.error.message, exchange.error.data)
  if (exchange.result) return exchange.result
  throw fault('internal', `The recording ends before this ${method} was answered`)
}

const questionsIn = (result: Result | undefined): Params =>
  isObject(result?.inputRequests) ? result.inputRequests : {}

/** Is it something that clients can be asked? */
const isAsked = ([, question]: readonly [string, unknown]): boolean =>
  isObject(question) && typeof question.method === 'string' && isQuestion(question.method)

function unknownCall(method: string, params: Params, all: readonly Exchange[]): string {
  const subject = JSON.stringify(params.name ?? params.uri)
  const others = all.filter(
    one => one.method === method && (one.params.name ?? one.params.uri) === (params.name ?? params.uri),
  )
  if (others.length === 0) return `The recording has no ${method} of ${subject}`
  const known = others.slice(0, 5).map(one => JSON.stringify(one.params.arguments ?? {}).slice(0, 200))
  return `The recording has no ${method} of ${subject} with these arguments. Recorded: ${known.join(', ')}`
}
