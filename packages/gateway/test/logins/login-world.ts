import { createServer, resource, tool } from '@causeway/engine'
import type { Ask, Params, Result, Server } from '@causeway/engine'
import { RemoteServer, httpTransport, memoryCredentials } from '@causeway/engine/client'
import type { Authorizer, CredentialStore } from '@causeway/engine/client'
import { bearerTokens, newToken, resourceServer, serveHttp } from '@causeway/engine/http'
import type { Authenticator, HttpOptions, HttpService } from '@causeway/engine/http'
import { Gateway, loginRoutes } from '@causeway/gateway'
import { afterAll, beforeAll } from 'vitest'
import { startAuthorizationServer } from '../../../../test/support/authorization-server.ts'
import type { AuthorizationServer } from '../../../../test/support/authorization-server.ts'
import { configsOf, later } from '../support/world.ts'

/** A server that takes only tokens of the issuer; its tool says whose token it was shown. */
export async function startProtected(issuer: AuthorizationServer): Promise<HttpService> {
  const whoami = tool({ name: 'whoami', readOnly: true }, (_, ctx) => String(ctx.principal?.claims?.sub))
  const note = resource({ uri: 'note://private', name: 'note' }, () => 'a note')
  const server = createServer({ name: 'far', version: '1', log: () => {} }).add(whoami, note)
  return serveHttp(server, { port: 0, authenticator: resourceServer({ issuers: [{ issuer: issuer.issuer }] }) })
}

/** An authorization server and a server that takes its tokens, for all tests of a file. */
export function withProtectedServer(started: (found: { issuer: AuthorizationServer; far: HttpService }) => void): void {
  let close = async (): Promise<void> => {}
  beforeAll(async () => {
    const issuer = await startAuthorizationServer()
    const far = await startProtected(issuer)
    close = async () => {
      await far.close()
      await issuer.close()
    }
    started({ issuer, far })
  })
  afterAll(() => close())
}

/** Its entry; the issuer gives no token without a scope. */
export const entryFor = ({ url }: HttpService): Params => ({ url: `${url}/mcp`, auth: { scopes: ['read'] } })

/** Static tokens of two people, by name. */
export const TOKENS: Readonly<Record<'ada' | 'bob', ReturnType<typeof newToken>>> = {
  ada: newToken('ada'),
  bob: newToken('bob'),
}

/** A gateway that is served over HTTP. */
export interface GatewayWorld {
  readonly server: Server
  readonly gateway: Gateway
  readonly store: CredentialStore
  readonly service: HttpService
}

/** What else a gateway of a test may have. */
export interface GatewayChoices {
  /** Lets clients in, in place of `TOKENS`. */
  readonly own?: Authenticator
  readonly store?: CredentialStore
  readonly secret?: string
  readonly views?: HttpOptions['views']
}

/** A gateway in front of servers; `needsToken` lets only those in who have one of `TOKENS`. */
export async function startGateway(
  servers: Params,
  needsToken = false,
  { own, store = memoryCredentials(), secret, views }: GatewayChoices = {},
): Promise<GatewayWorld> {
  const server = createServer({ name: 'gateway', version: '1.0.0', secret: 'of the tests', log: () => {} })
  const gateway = new Gateway(server, { credentials: store, secret })
  const tokens = bearerTokens(
    Object.values(TOKENS)
      .map(({ line }) => line)
      .join('\n'),
  )
  const authenticator = needsToken ? { authenticator: own ?? tokens } : {}
  const door = { url: () => service.url, isLocal: !needsToken, ...authenticator }
  const routes = loginRoutes(gateway.logins, door)
  const service: HttpService = await serveHttp(server, { port: 0, routes, ...(views && { views }), ...authenticator })
  later(async () => {
    await service.close()
    await gateway.close()
  })
  await gateway.apply(configsOf(servers))
  return { server, gateway, store, service }
}

/** What a client of the gateway may choose. */
export interface GatewayClient {
  readonly version?: string | undefined
  readonly who?: keyof typeof TOKENS
  /** Gets a token for the gateway itself. */
  readonly authorizer?: Authorizer
  /** Answers questions; without it the client cannot be asked. */
  readonly answer?: (ask: Ask) => Result | Promise<Result>
}

/** A client of the gateway, over HTTP. */
export async function clientAt({ service }: GatewayWorld, options: GatewayClient = {}): Promise<RemoteServer> {
  const { version, who, answer, authorizer } = options
  const headers = who ? { authorization: `Bearer ${TOKENS[who].token}` } : {}
  const remote = await RemoteServer.connect(
    { open: () => httpTransport({ url: `${service.url}/mcp`, headers, ...(authorizer && { authorizer }) }) },
    { client: { name: 'near', version: '1' }, ...(version !== undefined && { version }), ...(answer && { answer }) },
  )
  later(() => remote.close())
  return remote
}

/** A browser: follows a link of the gateway, proves who it is if it is asked to, logs in, and comes back. */
export async function browse(issuer: AuthorizationServer, link: string, token?: string): Promise<Response> {
  const first = token === undefined ? await fetch(link, { redirect: 'manual' }) : await postToken(link, token)
  const next = first.headers.get('location') ?? nextIn(await first.text())
  if (next === undefined) return first
  const cookie = cookieOf(first)
  return fetch(await issuer.logIn(next), { headers: { cookie } })
}

/** The form of a link's page, sent. */
export const postToken = (link: string, token: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(link, { method: 'POST', body: new URLSearchParams({ token }), headers })

/** The cookie that an answer sets. */
export const cookieOf = ({ headers }: Response): string => headers.getSetCookie()[0]?.split(';')[0] ?? ''

/** Where a page goes on. */
export const nextIn = (page: string): string | undefined =>
  /<a rel="noreferrer" href="([^"]+)"/.exec(page)?.[1]?.replaceAll('&amp;', '&')

/** The link in an error's words. */
export const linkIn = (error: unknown): string => /http:\S+\/login\/[\w-]+/.exec(String(error))?.[0] ?? ''
