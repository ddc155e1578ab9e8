import type { Duplex } from 'node:stream'
import type { WebSocket, WebSocketServer } from 'ws'
import type { Link, Session } from '../../call.ts'
import { Calls } from '../../jsonrpc/calls.ts'
import { close, newSession, shutDown } from '../../protocol/session.ts'
import type { Server } from '../../server.ts'
import { onExpiry } from '../http/admission.ts'
import { parseText, serveValue } from '../serve/serve-value.ts'
import type { ByteBudget } from '../limits/byte-budget.ts'
import { InFlight } from '../limits/in-flight.ts'
import type { SocketDoor, UpgradeRequest } from '../http/routes.ts'
import { SocketPump } from './socket-pump.ts'
import { SocketStreams } from './socket-streams.ts'
import type { StreamLimits } from './socket-streams.ts'

/** What sockets share with the service around them. */
export interface SocketShared {
  readonly server: Server
  readonly maxBody: number
  readonly budget: ByteBudget
  readonly strict: boolean
  readonly ending: AbortSignal
}

/** One socket and what goes on over it. */
interface ServedSocket {
  readonly pump: SocketPump
  readonly link: Link
  readonly streams: SocketStreams
}

interface OpenSocket {
  readonly pump: SocketPump
  readonly session: Session
}

const PROTOCOL = 'mcp'
const HEARTBEAT_MS = 30_000
// At the end, what a client may take to close its side.
const CLOSING_MS = 1_000
const GOING_AWAY = 1001
const POLICY_VIOLATION = 1008

/** WebSockets: one peer each, a message or a batch a text frame; with a handshake, an envelope, or neither. */
export class Sockets implements SocketDoor {
  readonly #shared: SocketShared
  readonly #limits: StreamLimits
  readonly #open = new Map<WebSocket, OpenSocket>()
  readonly #inFlight = new InFlight()
  #acceptor: Promise<WebSocketServer> | undefined
  readonly #heartbeat: NodeJS.Timeout

  constructor(shared: SocketShared, limits: StreamLimits = {}) {
    this.#shared = shared
    this.#limits = limits
    this.#heartbeat = setInterval(() => this.#beat(), HEARTBEAT_MS)
    this.#heartbeat.unref()
    // Answers to our questions are still heard, but nothing new is begun.
    shared.ending.addEventListener('abort', () => {
      for (const { session } of this.#open.values()) shutDown(session)
    })
  }

  get size(): number {
    return this.#open.size
  }

  /** Take over a connection that asks for it and may. */
  async upgrade(upgrade: UpgradeRequest): Promise<void> {
    const { request, socket, head } = upgrade
    const acceptor = await (this.#acceptor ??= this.#load())
    acceptor.handleUpgrade(request, socket, head, ws => this.#serve(ws, socket, upgrade))
  }

  /** Let what runs finish, then close every socket, and cut off those that do not close their side. */
  async end(late: Promise<unknown>): Promise<void> {
    clearInterval(this.#heartbeat)
    await Promise.race([this.#inFlight.none(), late])
    const closed = [...this.#open.keys()].map(
      ws => new Promise<void>(resolve => void ws.once('close', () => resolve())),
    )
    for (const ws of this.#open.keys()) ws.close(GOING_AWAY, 'The server is shutting down')
    const grace = setTimeout(() => this.#cut(), CLOSING_MS)
    await Promise.all(closed)
    clearTimeout(grace)
  }

  #cut(): void {
    for (const ws of this.#open.keys()) ws.terminate()
  }

  async #load(): Promise<WebSocketServer> {
    const { WebSocketServer } = await import('ws')
    const handleProtocols = (offered: Set<string>): string | false => (offered.has(PROTOCOL) ? PROTOCOL : false)
    return new WebSocketServer({
      noServer: true,
      maxPayload: this.#shared.maxBody,
      handleProtocols,
      clientTracking: false,
      // Pongs are sent by the pump, which stops reading where they are not read.
      autoPong: false,
    })
  }

  #serve(ws: WebSocket, socket: Duplex, upgrade: UpgradeRequest): void {
    const link = this.#link(ws, upgrade)
    const pump = new SocketPump(ws, socket, this.#shared.budget, {
      onText: text => this.#answer({ pump, link, streams }, text),
      onBytes: frame => streams.takeBytes(frame),
    })
    const streams = new SocketStreams(
      {
        server: this.#shared.server,
        link,
        send: text => pump.send(text),
        sendBytes: frame => pump.sendBytes(frame),
        hold: difference => pump.hold(difference),
        close: (code, reason) => ws.close(code, reason),
      },
      this.#limits,
    )
    this.#open.set(ws, { pump, session: link.session })
    const stopWaiting = onExpiry(upgrade.principal, () => ws.close(POLICY_VIOLATION, 'The token has ended'))
    // A frame that cannot be taken is one; the socket closes itself with a code that says why.
    ws.on('error', () => {})
    ws.on('close', () => {
      stopWaiting()
      this.#open.delete(ws)
      streams.end()
      link.calls.cancelAll('The client closed its socket')
      close(link.session)
    })
  }

  #answer({ pump, link, streams }: ServedSocket, text: string): Promise<void> | undefined {
    const { server, budget } = this.#shared
    const value = parseText(text)
    const streamed = streams.take(value)
    if (streamed instanceof Promise) this.#finishLater(streamed)
    if (streamed) return undefined
    const answer = serveValue(server, value, link, budget)
    if (answer instanceof Promise) return this.#answerLater(pump, answer)
    if (answer !== undefined) pump.send(answer)
    return undefined
  }

  /** The text that started a stream is not held as long as the stream lasts. */
  #finishLater(work: Promise<void>): void {
    this.#inFlight.begin()
    void work.finally(() => this.#inFlight.end())
  }

  async #answerLater(pump: SocketPump, answer: Promise<string | undefined>): Promise<void> {
    this.#inFlight.begin()
    const text = await answer
    if (text !== undefined) pump.send(text)
    this.#inFlight.end()
  }

  #link(ws: WebSocket, { address, principal }: UpgradeRequest): Link & { session: Session } {
    const send: Link['send'] = message => this.#open.get(ws)?.pump.send(JSON.stringify(message))
    const session = newSession(crypto.randomUUID(), send)
    return {
      transport: 'websocket',
      session,
      principal,
      address,
      calls: new Calls(),
      strict: this.#shared.strict,
      direct: true,
      streams: true,
      // Plain JSON-RPC until a handshake says otherwise.
      get plainIds() {
        return session.caller === undefined
      },
      signal: this.#shared.ending,
      send,
    }
  }

  /** A client that did not answer the last ping is gone. */
  #beat(): void {
    for (const [ws, { pump }] of this.#open) {
      if (!pump.isAlive && !pump.isFull) {
        ws.terminate()
        continue
      }
      pump.isAlive = false
      ws.ping()
    }
  }
}
