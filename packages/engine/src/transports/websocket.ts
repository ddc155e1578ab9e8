import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { RawData, WebSocket, WebSocketServer } from 'ws'
import type { Principal } from '../auth/principal.ts'
import type { Link, Session } from '../call.ts'
import { Calls } from '../jsonrpc/calls.ts'
import { close, newSession, shutDown } from '../protocol/session.ts'
import type { Server } from '../server.ts'
import { answerText } from './answer.ts'
import { InFlight } from './in-flight.ts'

/** What sockets share with the service around them. */
export interface SocketShared {
  readonly server: Server
  readonly maxBody: number
  readonly strict: boolean
  readonly ending: AbortSignal
}

const PROTOCOL = 'mcp'
const HEARTBEAT_MS = 30_000
// What may stand in line before the socket is no longer read.
const ENOUGH = 1024 * 1024
// A piece of input may hold many frames: so many are begun before it is seen how much their answers are.
const AT_ONCE = 32
const GOING_AWAY = 1001

/** One socket: its frames are taken while there is room for their answers. */
class Wire {
  /** Did it answer the last ping? */
  alive = true
  readonly session: Session
  readonly #ws: WebSocket
  readonly #hear: (text: string) => void
  #frames: string[] = []
  #begun = 0

  constructor(ws: WebSocket, session: Session, hear: (text: string) => void) {
    this.#ws = ws
    this.session = session
    this.#hear = hear
  }

  take(text: string): void {
    this.#frames.push(text)
    this.pump()
  }

  /** Begin what waits, if there is room; else nothing more is read until there is. */
  pump(): void {
    while (this.#frames.length > 0 && this.#ws.bufferedAmount <= ENOUGH) {
      if (this.#begun === AT_ONCE) {
        this.#begun += 1
        setImmediate(() => this.#nextTurn())
      }
      if (this.#begun > AT_ONCE) break
      this.#begun += 1
      this.#hear(this.#frames.shift() ?? '')
    }
    if (this.#frames.length > 0 || this.#ws.bufferedAmount > ENOUGH) this.#ws.pause()
    else if (this.#ws.isPaused) this.#ws.resume()
  }

  /** Forget what was not begun. */
  drop(): void {
    this.#frames = []
  }

  #nextTurn(): void {
    this.#begun = 0
    this.pump()
  }
}

/** WebSockets: one peer each, a message or a batch a text frame; with a handshake, an envelope, or neither. */
export class Sockets {
  readonly #shared: SocketShared
  readonly #open = new Map<WebSocket, Wire>()
  readonly #inFlight = new InFlight()
  #acceptor: Promise<WebSocketServer> | undefined
  readonly #heartbeat: NodeJS.Timeout

  constructor(shared: SocketShared) {
    this.#shared = shared
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

  /** Take over a connection that asks for it and passed the guard. */
  async upgrade(
    request: IncomingMessage,
    socket: Duplex,
    head: Buffer,
    principal: Principal | undefined,
  ): Promise<void> {
    const acceptor = await (this.#acceptor ??= this.#load())
    acceptor.handleUpgrade(request, socket, head, ws => this.#serve(ws, request.socket.remoteAddress, principal))
  }

  /** Let what runs finish, then close every socket. */
  async end(late: Promise<unknown>): Promise<void> {
    clearInterval(this.#heartbeat)
    await Promise.race([this.#inFlight.none(), late])
    for (const ws of this.#open.keys()) ws.close(GOING_AWAY, 'The server is shutting down')
  }

  /** Be done with those that did not close when told to. */
  cut(): void {
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
    })
  }

  #serve(ws: WebSocket, address: string | undefined, principal: Principal | undefined): void {
    const link = this.#link(ws, address, principal)
    const wire = new Wire(ws, link.session, text => this.#take(ws, link, text))
    this.#open.set(ws, wire)
    ws.on('pong', () => (wire.alive = true))
    // A frame that cannot be taken is one; the socket closes itself with a code that says why.
    ws.on('error', () => {})
    ws.on('close', () => {
      this.#open.delete(ws)
      wire.drop()
      link.calls.cancelAll('The client closed its socket')
      close(link.session)
    })
    ws.on('message', (data: RawData, isBinary: boolean) => {
      if (!isBinary) wire.take(textOf(data))
    })
  }

  #take(ws: WebSocket, link: Link, text: string): void {
    const answer = answerText(this.#shared.server, text, link)
    if (!(answer instanceof Promise)) return this.#send(ws, answer)
    this.#inFlight.begin()
    void answer.then(later => {
      this.#send(ws, later)
      this.#inFlight.end()
    })
  }

  #send(ws: WebSocket, text: string | undefined): void {
    if (text === undefined || ws.readyState !== ws.OPEN) return
    const wire = this.#open.get(ws)
    ws.send(text, () => wire?.pump())
    if (ws.bufferedAmount > ENOUGH) ws.pause()
  }

  #link(ws: WebSocket, address: string | undefined, principal: Principal | undefined): Link & { session: Session } {
    const transmit: Link['send'] = message => this.#send(ws, JSON.stringify(message))
    const session = newSession(crypto.randomUUID(), transmit)
    return {
      transport: 'websocket',
      session,
      principal,
      address,
      calls: new Calls(),
      strict: this.#shared.strict,
      direct: true,
      // Plain JSON-RPC until a handshake says otherwise.
      get nullIds() {
        return session.caller === undefined
      },
      signal: this.#shared.ending,
      send: transmit,
    }
  }

  /** Whoever did not answer the last ping is gone. */
  #beat(): void {
    for (const [ws, wire] of this.#open) {
      if (!wire.alive) {
        ws.terminate()
        continue
      }
      wire.alive = false
      ws.ping()
    }
  }
}

function textOf(data: RawData): string {
  if (Array.isArray(data)) return Buffer.concat(data).toString('utf8')
  return Buffer.isBuffer(data) ? data.toString('utf8') : Buffer.from(data).toString('utf8')
}
