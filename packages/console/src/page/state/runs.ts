import { signal } from '@preact/signals'
import type { ObservedMessage, Params, Result } from '@causeway/engine/browser'
import { RpcError } from '@causeway/engine/browser'
import { answerAsk } from './asks.ts'
import { groupOf } from './catalog.ts'
import { client, observe, reasonOf } from './connection.ts'
import { hello } from './feed.ts'

/** What became of a request. */
export interface Run {
  readonly state: 'running' | 'done' | 'failed' | 'cancelled'
  readonly startedAt: number
  readonly params: Params
  readonly ms: number
  readonly progress: { readonly done: number; readonly total: number | undefined; readonly message: string } | undefined
  readonly logs: readonly string[]
  readonly result: Result | undefined
  readonly problem: { readonly message: string; readonly code: number | undefined; readonly data: unknown } | undefined
  readonly messages: readonly ObservedMessage[]
}

/** What was asked for last, by what it was asked of: it is there again when one comes back. */
export const runs = signal<ReadonlyMap<string, Run>>(new Map())
/** Arguments as they stand in each form. */
export const drafts = signal<ReadonlyMap<string, unknown>>(new Map())

const cancels = new Map<string, AbortController>()
const MOST_KEPT = 50
const MOST_LOGS = 500
const MOST_MESSAGES = 200

/** Keep what was typed. */
export function draft(key: string, value: unknown): void {
  drafts.value = new Map(drafts.value).set(key, value)
}

/** Ask the server for something in a revision, and keep what becomes of it under a key. */
export async function run(key: string, method: string, params: Params, version: string): Promise<void> {
  cancels.get(key)?.abort()
  const ending = new AbortController()
  cancels.set(key, ending)
  const startedAt = performance.now()
  let now: Run = {
    state: 'running',
    startedAt: Date.now(),
    params,
    ms: 0,
    progress: undefined,
    logs: [],
    result: undefined,
    problem: undefined,
    messages: [],
  }
  const show = (change: Partial<Run>): void => {
    now = { ...now, ...change, ms: performance.now() - startedAt }
    if (cancels.get(key) === ending) keep(key, now)
  }
  show({})
  const isPart = partOf(method)
  const stop = observe(message => {
    if (isPart(message)) show({ messages: [...now.messages, message].slice(-MOST_MESSAGES) })
  })
  try {
    const remote = await client(version)
    const result = await remote.request(method, params, {
      signal: ending.signal,
      logLevel: 'debug',
      answer: (ask, signal) => answerAsk(ask, signal, askerOf(method, params)),
      onProgress: ({ progress, total, message }) =>
        show({
          progress: {
            done: Number(progress),
            total: typeof total === 'number' ? total : undefined,
            message: typeof message === 'string' ? message : '',
          },
        }),
      onLog: ({ level, data }) => show({ logs: [...now.logs, `${String(level)}: ${shown(data)}`].slice(-MOST_LOGS) }),
    })
    show({ state: 'done', result })
  } catch (error) {
    if (ending.signal.aborted) show({ state: 'cancelled' })
    else show({ state: 'failed', problem: problemOf(error) })
  } finally {
    stop()
  }
}

/** Give up, and notify the server. */
export function cancel(key: string): void {
  cancels.get(key)?.abort(new Error('The person at the console cancelled it'))
}

/** A name in quotes, without what could end them or turn the direction of the text. */
const inQuotes = (name: string): string => `“${name.replaceAll(/[\p{Cc}\p{Cf}“”]/gu, '').slice(0, 100)}”`

/** Who asks while a request runs. */
function askerOf(method: string, { name }: Params): string {
  if (method === 'resources/read' || typeof name !== 'string') return 'The server'
  const [kind, word] = method === 'tools/call' ? (['tool', 'The tool'] as const) : (['prompt', 'The prompt'] as const)
  const group = groupOf.value(kind, name)
  const server = hello.value?.groups.find(one => one.name === group && one.kind === 'server')
  return `${word} ${inQuotes(name)}${server ? ` of the server ${inQuotes(server.name)}` : ''}`
}

function keep(key: string, value: Run): void {
  const others = [...runs.value].filter(([other]) => other !== key)
  runs.value = new Map([...others.slice(-MOST_KEPT), [key, value]])
}

const shown = (data: unknown): string => (typeof data === 'string' ? data : JSON.stringify(data))

const problemOf = (error: unknown): NonNullable<Run['problem']> =>
  error instanceof RpcError
    ? { message: error.message, code: error.code, data: error.data }
    : { message: reasonOf(error), code: undefined, data: undefined }

/** Lists and streams for changes go on beside it and are not part of it. */
function partOf(asked: string): (message: ObservedMessage) => boolean {
  const own = new Set<unknown>()
  return ({ direction, method, request, text }) => {
    if (method !== 'POST') return false
    if (direction === 'received') return own.has(request)
    const named = /"method"\s*:\s*"([^"]+)"/.exec(text.slice(0, 400))?.[1]
    const isPart = named === undefined || named === asked || !/^subscriptions\/|\/list$/.test(named)
    if (isPart && request !== undefined) own.add(request)
    return isPart
  }
}
