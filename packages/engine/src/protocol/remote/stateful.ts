import type { Revision } from '../../call.ts'
import type { Introduction, OutgoingRequest, Parking, Remote, RemoteLink, Wanted } from '../../client/remote.ts'
import type { ClientTransport } from '../../client/transports/transport.ts'
import { copyOf } from '../../jsonrpc/copy-of.ts'
import { fault } from '../../jsonrpc/errors.ts'
import { isObject, notification } from '../../jsonrpc/message.ts'
import type { Id, Params, Request, Result } from '../../jsonrpc/message.ts'
import type { LogLevel } from '../../wire.ts'
import { factsIn, firstRequest } from './first-request.ts'
import type { Agreement, ServerFacts } from './first-request.ts'
import { isLoud } from '../client-values.ts'
import { ParkedCalls, ticketIn } from './parked-calls.ts'
import { RemoteQuestions } from './questions.ts'
import { RemoteRequests } from './requests.ts'
import { keepSession, leaveSession, renewSession, requestIds } from './shared-session.ts'

type Find = Parameters<Revision['connect']>[2]

/** Begin to use a server that wants a handshake and keeps a session. */
export async function connectStateful(
  asked: Revision,
  transport: ClientTransport,
  who: Introduction,
  find: Find,
): Promise<Remote> {
  const begun = await shakeHands(asked, transport, who, find)
  return continueSession(await keepSession(begun, transport, { ...who, find }), transport, who, find)
}

/** Go on with a session that was begun here or elsewhere. */
export const continueSession = (
  agreement: Agreement,
  transport: ClientTransport,
  who: Introduction,
  find: Find,
): Remote => new RemoteStateful(agreement, transport, who, find)

async function shakeHands(
  asked: Revision,
  transport: ClientTransport,
  who: Introduction,
  find: Find,
): Promise<Agreement> {
  transport.useVersion?.(undefined)
  const params = asked.writeRequest('initialize', {
    protocolVersion: asked.version,
    capabilities: who.capabilities,
    clientInfo: who.client,
  })
  const answer = await firstRequest(transport, { method: 'initialize', params }, who)
  const revision = find(answer.protocolVersion)
  if (revision?.era !== 'stateful' || (who.version !== undefined && revision.version !== who.version)) {
    const said = JSON.stringify(answer.protocolVersion)?.slice(0, 100)
    const wanted =
      who.version === undefined ? 'which this client does not support' : `but the client supports only ${who.version}`
    throw fault('unsupported-version', `The server chose revision ${said}, ${wanted}`)
  }
  transport.useVersion?.(revision.version)
  transport.send(notification('notifications/initialized'))
  transport.listen?.()
  const result = revision.readResult('initialize', answer)
  return { revision, ...factsIn(result, result.serverInfo) }
}

/** A server that knows its client from a handshake, and asks while a call runs. */
class RemoteStateful implements Remote {
  readonly keepsSession = true
  readonly repeatsArguments = false
  readonly #transport: ClientTransport
  readonly #who: Introduction
  readonly #find: Find
  readonly #parking: Parking
  readonly #requests: RemoteRequests
  readonly #questions: RemoteQuestions
  #agreement: Agreement
  #logLevel: LogLevel | undefined
  #uris = new Set<string>()

  constructor(agreement: Agreement, transport: ClientTransport, who: Introduction, find: Find) {
    this.#agreement = agreement
    this.#transport = transport
    this.#who = who
    this.#find = find
    this.#parking = who.parking ?? new ParkedCalls()
    const { revision } = agreement
    this.#requests = new RemoteRequests(transport, revision, {
      listener: who,
      parking: this.#parking,
      timeoutMs: who.timeoutMs,
      notifiesCancel: true,
      nextId: requestIds(who),
      write: (request, id, link) => this.#write(request, id, link),
      read: (method, result) => this.#agreement.revision.readResult(method, result),
      onQuestion: (question, call) => this.#questions.ask(question, call),
      onCancelled: id => this.#questions.withdraw(id),
      renew: () => this.#renew(),
    })
    this.#questions = new RemoteQuestions(transport, who, this.#requests)
  }

  get version(): string {
    return this.#agreement.revision.version
  }

  get server(): ServerFacts['server'] {
    return this.#agreement.server
  }

  get capabilities(): Params {
    return this.#agreement.capabilities
  }

  get instructions(): string | undefined {
    return this.#agreement.instructions
  }

  get sharesSession(): boolean {
    return this.#who.sessions !== undefined && this.#transport.session !== undefined
  }

  get inFlight(): number {
    return this.#requests.inFlight
  }

  get calls(): number {
    return this.#requests.linked
  }

  get isIdle(): boolean {
    return this.#requests.inFlight === 0 && this.#uris.size === 0
  }

  get closed(): Error | undefined {
    return this.#requests.closed
  }

  call(request: OutgoingRequest, link?: RemoteLink): Promise<Result> {
    const ticket = ticketIn(request.state)
    if (ticket) {
      const waiting = this.#parking.find(ticket.ticket)
      return waiting ? waiting.resume(request, link ?? {}) : Promise.reject(callGone())
    }
    const { logLevel } = request
    if (logLevel !== undefined && logLevel !== this.#logLevel) this.#lowerLogLevel(logLevel)
    return this.#requests.start(request, link)
  }

  notify(method: string, params: Params): void {
    this.#transport.send(notification(method, params))
  }

  async follow({ uris }: Wanted): Promise<ReadonlyMap<string, Error>> {
    const wanted = new Set(uris)
    const before = this.#uris
    this.#uris = wanted
    const refused = new Map<string, Error>()
    const ask = (method: string, uri: string): Promise<unknown> =>
      this.#requests.start({ method, params: { uri } }, undefined).catch((error: Error) => {
        refused.set(uri, error)
        if (method === 'resources/subscribe') wanted.delete(uri)
      })
    await Promise.all([
      ...[...wanted].filter(uri => !before.has(uri)).map(uri => ask('resources/subscribe', uri)),
      ...[...before].filter(uri => !wanted.has(uri)).map(uri => ask('resources/unsubscribe', uri)),
    ])
    return refused
  }

  async setLogLevel(level: LogLevel): Promise<void> {
    this.#logLevel = level
    if (!isObject(this.capabilities.logging)) return
    await this.#requests.start({ method: 'logging/setLevel', params: { level } }, undefined)
  }

  async close(): Promise<void> {
    this.#requests.end(new Error('The connection was closed'))
    this.#questions.withdrawAll()
    await leaveSession(this.#transport, this.#who)
    await this.#transport.close()
  }

  /** The server is sent one log level: the lowest that any caller wants. */
  #lowerLogLevel(level: LogLevel): void {
    if (this.#logLevel === undefined || isLoud(this.#logLevel, level)) this.setLogLevel(level).catch(() => {})
  }

  #write({ method, params, meta }: OutgoingRequest, id: Id, link: RemoteLink | undefined): Request {
    const wantsProgress = link?.onProgress !== undefined
    const written = this.#agreement.revision.writeRequest(method, params)
    if (!meta && !wantsProgress) return { jsonrpc: '2.0', id, method, params: written }
    const whole = copyOf(written)
    whole._meta = { ...meta, ...(wantsProgress && { progressToken: id }) }
    return { jsonrpc: '2.0', id, method, params: whole }
  }

  /** The server forgot the session: begin a new one, or go on with one that another process has begun since. */
  async #renew(): Promise<void> {
    const { revision } = this.#agreement
    const begin = (): Promise<Agreement> => shakeHands(revision, this.#transport, this.#who, this.#find)
    this.#agreement = await renewSession(begin, this.#transport, { ...this.#who, find: this.#find })
    this.#requests.revision = this.#agreement.revision
    const level = this.#logLevel
    if (level !== undefined) this.setLogLevel(level).catch(() => {})
    for (const uri of this.#uris) {
      this.#requests.start({ method: 'resources/subscribe', params: { uri } }, undefined).catch(() => {})
    }
  }
}

/** The error for a ticket of a call that is not known any more. */
export const callGone = (): Error =>
  fault('invalid-params', 'The call that asked is gone. Send the request again without requestState')
