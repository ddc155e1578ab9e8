import { randomBytes } from 'node:crypto'
import { createServer as createHttpsListener } from 'node:https'
import type { Server as Listener, ServerOptions } from 'node:http'
import type { Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import type { Server as TlsServer, TLSSocket } from 'node:tls'

/** The certificate of a listener, and whose certificates it asks its clients for. */
export interface TlsOptions {
  /** The certificate with its chain, PEM. */
  readonly cert: string
  /** Its private key, PEM. */
  readonly key: string
  /** Authorities whose certificates clients may show, PEM. Without it clients are not asked for one. */
  readonly clientCa?: string | undefined
}

/** Hears of connections that did not become secure. */
export type OnTlsFailure = (error: Error, address: string) => void

// A client that does not finish its handshake holds a connection for so long.
const HANDSHAKE_MS = 10_000
// Of the keys that seal TLS sessions.
const TICKET_KEY_BYTES = 48

// A certificate that is not trusted is refused by the authenticator, which can say why.
const secureOptions = ({ cert, key, clientCa }: TlsOptions) =>
  ({
    cert,
    key,
    minVersion: 'TLSv1.2',
    ...(clientCa !== undefined && { ca: clientCa, requestCert: true, rejectUnauthorized: false }),
  }) as const

/** A listener for HTTP over TLS. Throws for a certificate and a key that do not belong together. */
export function createSecureListener(tls: TlsOptions, options: ServerOptions, onFailure: OnTlsFailure): Listener {
  const listener = createHttpsListener({ ...options, ...secureOptions(tls), handshakeTimeout: HANDSHAKE_MS })
  watch(listener, tls, onFailure)
  closeUnsecured(listener)
  return listener
}

/** Node's own does not know of connections whose handshake is not done: these would keep the listener open. */
function closeUnsecured(listener: Listener): void {
  const sockets = new Set<Socket>()
  listener.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  const closeSecure = listener.closeAllConnections.bind(listener)
  listener.closeAllConnections = () => {
    closeSecure()
    for (const socket of sockets) socket.destroy()
  }
}

/** Connections of clients whose certificates are trusted, and for whose sake. */
interface Trusting {
  clientCa: string
  readonly sockets: Set<TLSSocket>
}

const trusting = new WeakMap<object, Trusting>()

/**
 * Use another certificate from the next handshake on. Throws, and changes nothing, for one that cannot be used. Where an
 * authority is trusted no longer, connections of clients with a certificate end.
 */
export function replaceTls(listener: Pick<TlsServer, 'setSecureContext' | 'setTicketKeys'>, tls: TlsOptions): void {
  listener.setSecureContext(secureOptions(tls))
  // A session that began with a certificate of an authority that is trusted no longer is not resumed.
  listener.setTicketKeys(randomBytes(TICKET_KEY_BYTES))
  const { clientCa = '' } = tls
  const before = trusting.get(listener)
  if (!before) return
  const still = new Set(authoritiesIn(clientCa))
  const hasFewer = authoritiesIn(before.clientCa).some(one => !still.has(one))
  before.clientCa = clientCa
  if (hasFewer) for (const socket of before.sockets) socket.destroy()
}

/** The certificates in a PEM text, however it is laid out. */
const authoritiesIn = (pem: string): readonly string[] =>
  (pem.match(/-----BEGIN [^]*?-----END /g) ?? []).map(block => block.replaceAll(/\s/g, ''))

/** Makes connections secure that were accepted elsewhere. */
export class TlsFront {
  readonly #server: TlsServer

  constructor(tls: TlsOptions, onSecure: (socket: TLSSocket) => void, onFailure: OnTlsFailure) {
    this.#server = createTlsServer({ ...secureOptions(tls), handshakeTimeout: HANDSHAKE_MS })
    this.#server.on('secureConnection', onSecure)
    watch(this.#server, tls, onFailure)
  }

  take(socket: Socket): void {
    this.#server.emit('connection', socket)
  }

  replace(tls: TlsOptions): void {
    replaceTls(this.#server, tls)
  }
}

function watch(server: TlsServer, { clientCa }: TlsOptions, onFailure: OnTlsFailure): void {
  const known = clientCa === undefined ? undefined : { clientCa, sockets: new Set<TLSSocket>() }
  if (known) trusting.set(server, known)
  server.on('secureConnection', (socket: TLSSocket) => {
    // Another certificate in the middle of a connection would be another client.
    socket.disableRenegotiation()
    if (!known || !socket.authorized) return
    known.sockets.add(socket)
    socket.once('close', () => known.sockets.delete(socket))
  })
  server.on('tlsClientError', (error: Error, socket: TLSSocket) => {
    onFailure(error, socket.remoteAddress ?? 'local')
    socket.destroy()
  })
}
