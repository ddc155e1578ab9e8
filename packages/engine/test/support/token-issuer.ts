import { createServer } from 'node:http'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { SignJWT, exportJWK, exportSPKI, generateKeyPair } from 'jose'
import type { CryptoKey, JWK, JWTPayload } from 'jose'

/** A key of an issuer. */
export interface IssuerKey {
  readonly kid: string
  readonly privateKey: CryptoKey
  readonly jwk: JWK
  /** The public half, as PEM. */
  readonly pem: string
}

/** A key that is new. */
export async function newKey(kid: string, alg = 'ES256'): Promise<IssuerKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true })
  return { kid, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg }, pem: await exportSPKI(publicKey) }
}

type Audience = string | readonly string[] | undefined

/** How a token differs from an ordinary one. */
export interface TokenSpec {
  readonly claims?: JWTPayload
  readonly header?: Readonly<Record<string, unknown>>
  readonly key?: IssuerKey
}

/** Answers a request itself; true if it did. */
export type Hook = (request: IncomingMessage, response: ServerResponse, body: string) => boolean

/** An issuer of which a test decides everything: what its metadata and keys are, and what it signs. */
export class TokenIssuer {
  readonly name: string
  /** Answers instead of the issuer, where a test wants it. */
  hook: Hook = () => false
  /** What is published. */
  keys: readonly JWK[]
  metadata: Readonly<Record<string, unknown>>
  /** What introspection says of tokens. */
  readonly opaque: Map<string, Readonly<Record<string, unknown>>> = new Map()
  /** The paths that were asked for. */
  readonly requests: string[] = []
  readonly key: IssuerKey
  readonly #listener: Server

  constructor(listener: Server, name: string, key: IssuerKey) {
    this.#listener = listener
    this.name = name
    this.key = key
    this.keys = [key.jwk]
    this.metadata = { issuer: name, jwks_uri: `${name}/keys`, introspection_endpoint: `${name}/introspect` }
    listener.on('request', (request, response) => void this.#serve(request, response))
  }

  static async start(key?: IssuerKey): Promise<TokenIssuer> {
    const listener = createServer()
    await new Promise<void>(resolve => void listener.listen(0, '127.0.0.1', resolve))
    const { port } = listener.address() as AddressInfo
    return new TokenIssuer(listener, `http://127.0.0.1:${port}`, key ?? (await newKey('one')))
  }

  /** How often a path was asked for. */
  count(path: string): number {
    return this.requests.filter(one => one === path).length
  }

  /** An access token for a resource, good for an hour unless it is said otherwise. */
  sign(audience: Audience, { claims = {}, header = {}, key = this.key }: TokenSpec = {}): Promise<string> {
    const now = Math.floor(Date.now() / 1000)
    const all = { iss: this.name, sub: 'ada', exp: now + 3600, iat: now, ...(audience && { aud: audience }), ...claims }
    const given = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))
    return new SignJWT(given)
      .setProtectedHeader({ alg: key.jwk.alg ?? 'ES256', kid: key.kid, typ: 'at+jwt', ...header })
      .sign(key.privateKey)
  }

  async close(): Promise<void> {
    const closed = new Promise(resolve => void this.#listener.close(resolve))
    this.#listener.closeAllConnections()
    await closed
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? ''
    this.requests.push(path)
    let body = ''
    for await (const chunk of request) body += String(chunk)
    if (this.hook(request, response, body)) return
    const answer = this.#answerTo(path, body)
    response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(answer))
  }

  #answerTo(path: string, body: string): unknown {
    if (path === '/.well-known/oauth-authorization-server') return this.metadata
    if (path === '/keys') return { keys: this.keys }
    if (path === '/introspect')
      return this.opaque.get(new URLSearchParams(body).get('token') ?? '') ?? { active: false }
    return undefined
  }
}
