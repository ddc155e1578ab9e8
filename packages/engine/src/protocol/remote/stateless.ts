import type { Revision } from '../../call.ts'
import type { Introduction, OutgoingRequest, Remote, RemoteLink, Wanted } from '../../client/remote.ts'
import { unref } from '../../support/unref.ts'
import type { ClientTransport } from '../../client/transports/transport.ts'
import { copyOf } from '../../jsonrpc/copy-of.ts'
import { RpcError, fault } from '../../jsonrpc/errors.ts'
import { failure, isObject, notification } from '../../jsonrpc/message.ts'
import type { Id, Params, Request, Result } from '../../jsonrpc/message.ts'
import type { LogLevel } from '../../wire.ts'
import { ClientEnvelope, envelopeOf } from './envelope.ts'
import { factsIn, firstRequest } from './first-request.ts'
import type { ServerFacts } from './first-request.ts'
import { META } from '../keys.ts'
import { mirrorsOf } from './mirrors.ts'
import { ParkedCalls } from './parked-calls.ts'
import { RemoteRequests } from './requests.ts'

const PROBE_MS = 10_000
const RETRY_MS = 1000
const MOST_RETRY_MS = 60_000

/** Begin to use a server whose requests stand alone: it is asked what it is, once. */
export async function connectStateless(
  revision: Revision,
  transport: ClientTransport,
  who: Introduction,
): Promise<Remote> {
  transport.useVersion?.(revision.version)
  // Where the server may turn out to want a handshake, there must be time for that.
  const startTimeoutMs = who.version === undefined ? Math.min(PROBE_MS, who.startTimeoutMs) : who.startTimeoutMs
  const method = 'server/discover'
  const params = { _meta: envelopeOf(revision.version, who) }
  const result = await firstRequest(
    transport,
    { method, params, mirrors: mirrorsOf(method, params) },
    { startTimeoutMs },
  )
  const supported = Array.isArray(result.supportedVersions) ? result.supportedVersions : []
  if (!supported.includes(revision.version)) {
    throw fault('unsupported-version', `The server does not support ${revision.version}`, { supported })
  }
  const facts = factsIn(result, isObject(result._meta) ? result._meta[META.serverInfo] : undefined)
  return new RemoteStateless(revision, facts, transport, who)
}

type Stream = ReturnType<RemoteRequests['open']>

/** A server whose requests describe themselves. */
class RemoteStateless implements Remote {
  readonly version: string
  readonly server: ServerFacts['server']
  readonly capabilities: Params
  readonly instructions: string | undefined
  readonly keepsSession = false
  readonly sharesSession = false
  readonly #transport: ClientTransport
  readonly #revision: Revision
  readonly #requests: RemoteRequests
  readonly #envelope: ClientEnvelope
  #logLevel: LogLevel | undefined
  #lastId = 0
  #uris: ReadonlySet<string> = new Set()
  #lists = false
  #listening: Stream | undefined
  #retry: NodeJS.Timeout | undefined
  #failures = 0

  constructor(revision: Revision, facts: ServerFacts, transport: ClientTransport, who: Introduction) {
    this.version = revision.version
    this.server = facts.server
    this.capabilities = facts.capabilities
    this.instructions = facts.instructions
    this.#revision = revision
    this.#transport = transport
    this.#envelope = new ClientEnvelope(envelopeOf(revision.version, who))
    this.#requests = new RemoteRequests(transport, revision, {
      listener: who,
      parking: who.parking ?? new ParkedCalls(),
      timeoutMs: who.timeoutMs,
      // Where a request has a stream of its own, closing that says it.
      notifiesCancel: !transport.bound,
      nextId: () => ++this.#lastId,
      write: (request, id, link) => this.#write(request, id, link),
      ...(transport.bound && {
        mirrors: ({ headers }: OutgoingRequest, { method, params = {} }: Request) =>
          mirrorsOf(method, params, method === 'tools/call' ? headers : undefined),
      }),
      read: (method, result) => asked(revision.readResult(method, result)),
      onQuestion: ({ id, method }) =>
        transport.send(failure(id, fault('method-not-found', `Method not found: ${method.slice(0, 100)}`))),
    })
  }

  get repeatsArguments(): boolean {
    return this.#transport.bound
  }

  get inFlight(): number {
    return this.#requests.inFlight
  }

  get calls(): number {
    return this.#requests.linked
  }

  get isIdle(): boolean {
    return this.#requests.inFlight <= (this.#listening ? 1 : 0) && this.#uris.size === 0
  }

  get closed(): Error | undefined {
    return this.#requests.closed
  }

  call(request: OutgoingRequest, link?: RemoteLink): Promise<Result> {
    const refusal = request.answers && refusalIn(request.answers)
    return refusal ? Promise.reject(refusal) : this.#requests.start(request, link)
  }

  async setLogLevel(level: LogLevel): Promise<void> {
    this.#logLevel = level
  }

  notify(method: string, params: Params, link?: RemoteLink): void {
    const said = this.#envelope.of(this.#logLevel, link?.capabilities)
    const _meta = isObject(params._meta) ? { ...params._meta, ...said } : said
    this.#transport.send(notification(method, { ...params, _meta }))
  }

  async follow({ lists, uris }: Wanted): Promise<ReadonlyMap<string, Error>> {
    const wanted = new Set(uris)
    const isSame =
      lists === this.#lists && wanted.size === this.#uris.size && [...wanted].every(uri => this.#uris.has(uri))
    this.#lists = lists
    this.#uris = wanted
    if (!isSame) this.#listen()
    return new Map()
  }

  async close(): Promise<void> {
    clearTimeout(this.#retry)
    this.#requests.end(new Error('The connection was closed'))
    await this.#transport.close()
  }

  #write(request: OutgoingRequest, id: Id, link: RemoteLink | undefined): Request {
    const { method, params, meta, logLevel, answers, state } = request
    const wantsProgress = link?.onProgress !== undefined
    const written = copyOf(this.#revision.writeRequest(method, params))
    if (answers !== undefined) this.#putAnswers(written, answers, state)
    const said = this.#envelope.of(logLevel ?? this.#logLevel, link?.capabilities)
    written._meta = meta || wantsProgress ? { ...meta, ...(wantsProgress && { progressToken: id }), ...said } : said
    return { jsonrpc: '2.0', id, method, params: written }
  }

  #putAnswers(params: Params, answers: Readonly<Record<string, unknown>>, state: unknown): void {
    const { own, methods = {} } = (isObject(state) ? state : {}) as Partial<AskedState>
    params.inputResponses = Object.fromEntries(
      Object.entries(answers).map(([key, answer]) => [
        key,
        this.#revision.writeAnswer(methods[key] ?? '', answer as Result),
      ]),
    )
    if (own !== undefined) params.requestState = own
  }

  /** The new stream is open before the old one is closed, so that nothing is missed. */
  #listen(): void {
    clearTimeout(this.#retry)
    const old = this.#listening
    const notifications = this.#wanted()
    this.#listening = Object.keys(notifications).length > 0 ? this.#openStream(notifications) : undefined
    old?.end(new Error('Listening for something else'))
  }

  #openStream(notifications: Params): Stream {
    const stream = this.#requests.open({
      method: 'subscriptions/listen',
      params: { notifications },
      timeoutMs: 0,
    })
    const ended = (): void => {
      if (this.#listening !== stream || this.closed) return
      this.#listening = undefined
      const wait = Math.min(RETRY_MS * 2 ** Math.min(this.#failures++, 6), MOST_RETRY_MS)
      this.#retry = unref(setTimeout(() => this.#listen(), wait))
    }
    stream.ended.then(ended, ended)
    return stream
  }

  #wanted(): Params {
    const { tools, prompts, resources } = this.capabilities
    const tells = (capability: unknown): boolean => isObject(capability) && capability.listChanged === true
    return {
      ...(this.#lists && tells(tools) && { toolsListChanged: true }),
      ...(this.#lists && tells(prompts) && { promptsListChanged: true }),
      ...(this.#lists && tells(resources) && { resourcesListChanged: true }),
      ...(this.#uris.size > 0 && { resourceSubscriptions: [...this.#uris] }),
    }
  }
}

/** What is carried from the result that asked to the request with the answers. */
interface AskedState {
  /** The server's own `requestState`. */
  readonly own: unknown
  /** What was asked, by question. */
  readonly methods: Readonly<Record<string, string>>
}

/** A result that asks: each question has params, and the state that comes with it says what was asked. */
function asked(result: Result): Result {
  if (result.resultType !== 'input_required') return result
  const asks = Object.entries(isObject(result.inputRequests) ? result.inputRequests : {})
  const whole = asks.map(([key, ask]) => [key, isObject(ask) && !('params' in ask) ? { ...ask, params: {} } : ask])
  const methods = asks.map(([key, ask]) => [key, isObject(ask) ? String(ask.method) : ''])
  const requestState: AskedState = { own: result.requestState, methods: Object.fromEntries(methods) }
  return { ...result, inputRequests: Object.fromEntries(whole), requestState }
}

/** Where answers are part of a request, a refusal cannot be sent: the call ends with it. */
function refusalIn(answers: NonNullable<OutgoingRequest['answers']>): RpcError | undefined {
  for (const key in answers) {
    const refusal = answers[key]
    if (!(refusal instanceof RpcError)) continue
    const words = `The server asked the client (${key.slice(0, 100)}) and got no answer: ${refusal.message}`
    return fault('tool-failed', words, refusal.data)
  }
  return undefined
}
