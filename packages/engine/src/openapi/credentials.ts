import { fetchJsonFor, secureUrl } from '../oauth/fetch-json.ts'
import type { FetchJson } from '../oauth/fetch-json.ts'
import { isObject } from '../support/is-object.ts'
import { DocumentProblem } from './document.ts'
import type { Json } from './document.ts'
import type { Operation } from './operations.ts'
import type { Proof } from './request.ts'
import type { References } from './references.ts'
import type { ServerAddress } from './server-address.ts'

/** What proves to an API who is asking. Each scheme of the document takes what it needs. */
export interface ApiCredentials {
  /** A bearer token. */
  readonly bearer?: string | undefined
  /** `user:password`. */
  readonly basic?: string | undefined
  /** An API key; the document says in which header, cookie or query parameter it goes. */
  readonly key?: string | undefined
  /** OAuth client credentials: tokens are got, kept and renewed. */
  readonly client?: { readonly id: string; readonly secret: string; readonly tokenUrl?: string | undefined } | undefined
}

interface Scheme {
  readonly needs: string
  /** Undefined if nothing was given that fits. */
  readonly prove: (() => Proof | Promise<Proof>) | undefined
}

const VARIABLES = {
  bearer: 'OPENAPI_BEARER',
  basic: 'OPENAPI_BASIC',
  key: 'OPENAPI_KEY',
  client: 'OPENAPI_CLIENT_ID and OPENAPI_CLIENT_SECRET',
} as const
// A token is not used in the last seconds of its life.
const EARLY_MS = 30_000

/** Proves to one API who is asking. */
export class Prover {
  readonly #schemes = new Map<string, Scheme>()
  readonly #general: unknown
  readonly #fallback: Scheme
  #token: { readonly text: Promise<string>; until: number } | undefined

  constructor(
    document: Json,
    references: References,
    { credentials, server }: { readonly credentials: ApiCredentials; readonly server: ServerAddress },
  ) {
    const { components, security } = document
    const schemes = isObject(components) && isObject(components.securitySchemes) ? components.securitySchemes : {}
    const given = checked(credentials, server)
    this.#general = security
    for (const [name, scheme] of Object.entries(schemes))
      this.#schemes.set(name, this.#schemeOf(references.resolve(scheme), given, server))
    const plain = given.bearer === undefined ? given.basic && basicProof(given.basic) : bearerProof(given.bearer)
    this.#fallback = { needs: VARIABLES.bearer, prove: plain ? () => plain : undefined }
  }

  /** What is added to a request of an operation. */
  async proofFor({ security }: Operation): Promise<Proof> {
    for (const schemes of this.#choices(security)) {
      if (schemes.some(({ prove }) => !prove)) continue
      const proofs = await Promise.all(schemes.map(async ({ prove }) => prove?.() ?? {}))
      return proofs.reduce(
        (all, one) => ({
          headers: { ...all.headers, ...one.headers },
          query: { ...all.query, ...one.query },
          cookies: { ...all.cookies, ...one.cookies },
        }),
        {},
      )
    }
    return {}
  }

  /** The environment variables that would let an operation run. */
  needsOf({ security }: Operation): string {
    const choices = this.#choices(security).map(schemes => schemes.map(({ needs }) => needs).join(' and '))
    return [...new Set(choices.filter(choice => choice !== ''))].join(', or ') || VARIABLES.bearer
  }

  /** The API did not accept what it got. */
  refused(): void {
    this.#token = undefined
  }

  /** Those that ask for something first: what may be done without a login is better done with one. */
  #choices(security: unknown): readonly (readonly Scheme[])[] {
    const required = security ?? this.#general
    if (!Array.isArray(required)) return [[this.#fallback]]
    const choices = required.filter(isObject).map(one => Object.keys(one).map(name => this.#schemes.get(name)))
    const known = choices.filter(schemes => schemes.every(scheme => scheme !== undefined))
    return known.toSorted((a, b) => Number(a.length === 0) - Number(b.length === 0))
  }

  #schemeOf(scheme: Json, credentials: ApiCredentials, server: ServerAddress): Scheme {
    const { type, scheme: kind } = scheme
    if (type === 'http' && String(kind).toLowerCase() === 'basic')
      return proving('basic', credentials.basic, basicProof)
    if (type === 'apiKey') return keyScheme(scheme, credentials)
    const { bearer, client } = credentials
    const endpoint = tokenEndpointOf(scheme)
    const hasEndpoint = endpoint !== undefined || client?.tokenUrl !== undefined
    if (bearer !== undefined || !hasEndpoint) return proving('bearer', bearer, bearerProof)
    const needs = `${VARIABLES.client}, or ${VARIABLES.bearer}`
    return { needs, prove: client && (async () => bearerProof(await this.#tokenFor(client, endpoint, server))) }
  }

  #tokenFor(
    client: NonNullable<ApiCredentials['client']>,
    endpoint: string | undefined,
    server: ServerAddress,
  ): Promise<string> {
    const known = this.#token
    if (known && Date.now() < known.until) return known.text
    const { url, fetch } = tokenServer(client.tokenUrl, endpoint, server)
    const got = requestToken(fetch, url, client)
    const token = { text: got.then(({ text }) => text), until: Infinity }
    this.#token = token
    got.then(
      ({ ms }) => (token.until = Date.now() + Math.max(ms - EARLY_MS, 0)),
      () => (token.until = 0),
    )
    return token.text
  }
}

/** Credentials do not leave unencrypted, unless the operator named that address. */
function checked(credentials: ApiCredentials, { url, isTrusted }: ServerAddress): ApiCredentials {
  if (isTrusted || Object.values(credentials).every(value => value === undefined)) return credentials
  try {
    secureUrl(url.href, 'The address of the API')
    return credentials
  } catch (cause) {
    throw new DocumentProblem(
      `Credentials would be sent unencrypted to ${url.origin}. Name an https:// address with --openapi-base, or this one if that is intended.`,
      { cause },
    )
  }
}

const bearerProof = (token: string): Proof => ({ headers: { authorization: `Bearer ${token}` } })
const basicProof = (pair: string): Proof => ({
  headers: { authorization: `Basic ${Buffer.from(pair).toString('base64')}` },
})

const proving = (
  which: 'basic' | 'bearer' | 'key',
  value: string | undefined,
  prove: (value: string) => Proof,
): Scheme => ({
  needs: VARIABLES[which],
  prove: value === undefined ? undefined : () => prove(value),
})

/** Some documents call a bearer token an API key in the header Authorization. */
function keyScheme({ in: place, name }: Json, { key, bearer }: ApiCredentials): Scheme {
  const header = String(name)
  const isToken = place === 'header' && header.toLowerCase() === 'authorization' && key === undefined
  return isToken ? proving('bearer', bearer, bearerProof) : proving('key', key, value => keyProof(place, header, value))
}

function keyProof(place: unknown, name: string, key: string): Proof {
  if (place === 'query') return { query: { [name]: key } }
  return place === 'cookie' ? { cookies: { [name]: key } } : { headers: { [name.toLowerCase()]: key } }
}

function tokenEndpointOf({ flows }: Json): string | undefined {
  const flow = isObject(flows) ? flows.clientCredentials : undefined
  return isObject(flow) && typeof flow.tokenUrl === 'string' ? flow.tokenUrl : undefined
}

/** The secret of the client goes to the host of the API, or where the operator said. */
function tokenServer(
  named: string | undefined,
  endpoint: string | undefined,
  { url: base, isTrusted }: ServerAddress,
): { readonly url: URL; readonly fetch: FetchJson } {
  const given = named ?? endpoint ?? ''
  if (!URL.canParse(given, base.href))
    throw new Error('The address of the token endpoint is not a URL: set OPENAPI_TOKEN_URL')
  const url = new URL(given, base)
  if (named === undefined && url.hostname !== base.hostname)
    throw new Error(
      `The document names a token endpoint at another host, ${url.host}. If the client secret may be sent there, set OPENAPI_TOKEN_URL=${url.href}`,
    )
  return { url, fetch: fetchJsonFor(url, named !== undefined || isTrusted, { ownHostOnly: true }) }
}

async function requestToken(
  fetch: FetchJson,
  url: URL,
  { id, secret }: { readonly id: string; readonly secret: string },
): Promise<{ text: string; ms: number }> {
  const pair = `${encodeURIComponent(id)}:${encodeURIComponent(secret)}`
  const { status, body } = await fetch({
    url: url.href,
    headers: { authorization: `Basic ${Buffer.from(pair).toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  })
  if (status >= 300 || !isObject(body) || typeof body.access_token !== 'string')
    throw new Error(`The token endpoint of the API answered ${status}. Check ${VARIABLES.client}.`)
  const seconds = Number(body.expires_in)
  return { text: body.access_token, ms: Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : 60 * 60_000 }
}
