import { createServer } from 'node:http'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair } from 'jose'
import type Provider from 'oidc-provider'
import type { ClientMetadata, Configuration } from 'oidc-provider'

/** What can be chosen about an authorization server of a test. */
export interface AuthorizationServerOptions {
  /** A path of the issuer, such as `/tenant`. Default: none. */
  readonly path?: string
  /** How access tokens are written. Default: as JWTs. */
  readonly tokens?: 'jwt' | 'opaque'
  /** How long access tokens last, in seconds. Default: an hour. */
  readonly accessTokenSeconds?: number
  /** Scopes that every resource has. Default: read, write, admin. */
  readonly scopes?: readonly string[]
  /** Clients that are registered beforehand, besides `MACHINE` and `INTROSPECTOR`. */
  readonly clients?: readonly ClientMetadata[]
  /** More of the provider's configuration. */
  readonly configuration?: Configuration
}

/** A client that gets tokens for itself (client credentials). */
export const MACHINE = { clientId: 'machine', clientSecret: 'the secret of the machine' } as const
/** A client that may only introspect tokens. */
export const INTROSPECTOR = { clientId: 'introspector', clientSecret: 'the secret of the introspector' } as const

/** What a token request of a test may choose. */
export interface TokenWish {
  readonly resource?: string
  readonly scope?: string
  /** A DPoP proof for the token endpoint. */
  readonly dpop?: string
}

/** A real authorization server (`oidc-provider`) on a free port. People log in without being asked, as `user`. */
export class AuthorizationServer {
  readonly issuer: string
  /** Who logs in next. */
  user: string = 'ada'
  /** Scopes of which people consent to nothing. */
  readonly refused: Set<string> = new Set()
  /** The paths of all requests, in order. */
  readonly requests: string[] = []
  readonly provider: Provider
  readonly #listener: Server
  readonly #path: string

  constructor(listener: Server, issuer: string, provider: Provider) {
    this.#listener = listener
    this.issuer = issuer
    this.provider = provider
    this.#path = new URL(issuer).pathname.replace(/\/$/, '')
    listener.on('request', (request, response) => void this.#serve(request, response))
  }

  /** The address of one of its endpoints, such as `token` or `token/introspection`. */
  endpoint(name: string): string {
    return `${this.issuer.replace(/\/$/, '')}/${name}`
  }

  /** Go where a client sends its user, log in and consent; the address that the user comes back to, with the code. */
  async logIn(authorizationUrl: string | URL): Promise<URL> {
    const cookies = new Map<string, string>()
    let at = new URL(authorizationUrl)
    while (at.href.startsWith(this.issuer)) {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
      const answer = await fetch(at, { redirect: 'manual', headers: { cookie } })
      for (const set of answer.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? []
        cookies.set(name, value)
      }
      const location = answer.headers.get('location')
      if (location === null) throw new Error(`${at.pathname} answered ${answer.status}: ${await answer.text()}`)
      at = new URL(location, at)
    }
    return at
  }

  /** A token of the machine's own. */
  async machineToken({ resource, scope, dpop }: TokenWish = {}): Promise<string> {
    const body = new URLSearchParams({
      grant_type: 'client_credentials',
      ...(resource !== undefined && { resource }),
      ...(scope !== undefined && { scope }),
    })
    const answer = await fetch(this.endpoint('token'), {
      method: 'POST',
      body,
      headers: { authorization: basic(MACHINE), ...(dpop !== undefined && { dpop }) },
    })
    const given = (await answer.json()) as { access_token?: string }
    if (given.access_token === undefined) throw new Error(`There is no token: ${JSON.stringify(given)}`)
    return given.access_token
  }

  /** Take a token back. */
  async revoke(token: string): Promise<void> {
    const body = new URLSearchParams({ token })
    const headers = { authorization: basic(MACHINE) }
    await fetch(this.endpoint('token/revocation'), { method: 'POST', body, headers })
  }

  async close(): Promise<void> {
    const closed = new Promise(resolve => void this.#listener.close(resolve))
    this.#listener.closeAllConnections()
    await closed
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', this.issuer)
    this.requests.push(url.pathname)
    // RFC 8414 puts the path of an issuer behind the well-known one.
    const path = url.pathname.replace(new RegExp(`^(/\\.well-known/[\\w-]+)${this.#path}$`), `${this.#path}$1`)
    if (!path.startsWith(`${this.#path}/`)) return void response.writeHead(404).end()
    const below = path.slice(this.#path.length)
    if (below.startsWith('/interaction/')) return this.#interact(request, response)
    request.url = below + url.search
    Object.assign(request, { originalUrl: path + url.search, baseUrl: this.#path })
    await this.provider.callback()(request, response)
  }

  /** Nobody is there to be asked: log in, and consent to all that was asked for. */
  async #interact(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { prompt, params, session } = await this.provider.interactionDetails(request, response)
    if (prompt.name === 'login') {
      return this.provider.interactionFinished(request, response, { login: { accountId: this.user } })
    }
    const grant = new this.provider.Grant({
      accountId: session?.accountId ?? this.user,
      clientId: String(params.client_id),
    })
    const { missingOIDCScope = [], missingResourceScopes = {} } = prompt.details as {
      missingOIDCScope?: string[]
      missingResourceScopes?: Record<string, string[]>
    }
    grant.addOIDCScope(missingOIDCScope.join(' '))
    for (const [resource, scopes] of Object.entries(missingResourceScopes)) {
      grant.addResourceScope(resource, scopes.filter(scope => !this.refused.has(scope)).join(' '))
      grant.rejectResourceScope(resource, scopes.filter(scope => this.refused.has(scope)).join(' '))
    }
    await this.provider.interactionFinished(request, response, { consent: { grantId: await grant.save() } })
  }
}

/** Start an authorization server on a free port of this machine. */
export async function startAuthorizationServer(options: AuthorizationServerOptions = {}): Promise<AuthorizationServer> {
  const { default: OidcProvider } = await quietly(() => import('oidc-provider'))
  const listener = createServer()
  await new Promise<void>(resolve => void listener.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(listener.address() as AddressInfo).port}${options.path ?? ''}`
  const configuration = await configurationOf(options)
  const provider = await quietly(() => new OidcProvider(issuer, configuration))
  return new AuthorizationServer(listener, issuer, provider)
}

async function configurationOf(options: AuthorizationServerOptions): Promise<Configuration> {
  const { tokens = 'jwt', accessTokenSeconds = 3600, scopes = ['read', 'write', 'admin'] } = options
  const { privateKey } = await generateKeyPair('ES256', { extractable: true })
  const key = { ...(await exportJWK(privateKey)), alg: 'ES256', kid: 'one', use: 'sig' }
  const { features, ...rest } = options.configuration ?? {}
  return {
    jwks: { keys: [key] },
    cookies: { keys: ['only for tests'] },
    clients: [...OWN_CLIENTS, ...(options.clients ?? [])],
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    enabledJWA: { idTokenSigningAlgValues: ['ES256'] },
    scopes: ['openid', 'offline_access', ...scopes],
    ttl: { AccessToken: accessTokenSeconds, ClientCredentials: accessTokenSeconds, ...OTHER_TTLS },
    interactions: {
      url: (ctx, { uid }) => `${new URL(ctx.oidc.issuer).pathname.replace(/\/$/, '')}/interaction/${uid}`,
    },
    findAccount: (_, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
    issueRefreshToken: (_, client) => client.grantTypeAllowed('refresh_token'),
    features: {
      devInteractions: { enabled: false },
      registration: { enabled: true },
      clientCredentials: { enabled: true },
      introspection: { enabled: true, allowedPolicy: () => true },
      revocation: { enabled: true, allowedPolicy: () => true },
      resourceIndicators: {
        enabled: true,
        useGrantedResource: () => true,
        getResourceServerInfo: (_, resource) => ({
          scope: scopes.join(' '),
          audience: resource,
          accessTokenTTL: accessTokenSeconds,
          ...(tokens === 'jwt' ? { accessTokenFormat: 'jwt', jwt: { sign: { alg: 'ES256' } } } : {}),
        }),
      },
      ...features,
      // The types know it only together with features that are not used here.
    } as Configuration['features'],
    ...rest,
  }
}

// In seconds.
const OTHER_TTLS = {
  AuthorizationCode: 60,
  Grant: 3600,
  IdToken: 3600,
  Interaction: 600,
  RefreshToken: 3600,
  Session: 3600,
}

const machine = ({ clientId, clientSecret }: typeof MACHINE | typeof INTROSPECTOR): ClientMetadata => ({
  client_id: clientId,
  client_secret: clientSecret,
  grant_types: ['client_credentials'],
  response_types: [],
  redirect_uris: [],
})
const OWN_CLIENTS = [machine(MACHINE), machine(INTROSPECTOR)]

const basic = ({ clientId, clientSecret }: typeof MACHINE): string =>
  `Basic ${btoa(`${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`)}`

/** The provider says on the console that it is meant for production on other versions of Node. */
async function quietly<T>(work: () => T | Promise<T>): Promise<T> {
  const { warn, info } = console
  Object.assign(console, { warn: () => {}, info: () => {} })
  try {
    return await work()
  } finally {
    Object.assign(console, { warn, info })
  }
}
