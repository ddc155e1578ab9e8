import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { RemoteServer, httpTransport, memoryCredentials, oauthAuthorizer } from '@causeway/engine/client'
import type { OAuthAuthorizer, OAuthOptions } from '@causeway/engine/client'
import { onTestFinished } from 'vitest'
import { versions } from '../../../src/protocol/revisions.ts'
import { listening } from '../../oauth/listening.ts'

/** Where the browser of these tests comes back to; nothing listens there. */
export const REDIRECT = 'http://127.0.0.1:9/callback'

/** One request at the authorization server. */
export interface Seen {
  readonly path: string
  readonly params: Readonly<Record<string, string>>
  readonly headers: IncomingMessage['headers']
}

/** What a test changes in an authorization server that otherwise behaves. */
export interface Behaviour {
  /** Fields of its metadata; undefined removes one. */
  metadata?: Record<string, unknown>
  /** Fields of the answer at the token endpoint; with a status, the whole answer. */
  token?: (seen: Seen) => { status?: number; body: object; headers?: Record<string, string> } | undefined
  /** Changes the address that the browser is sent back to. */
  redirect?: (url: URL) => void
  /** Answers anything first; true if it did. */
  answer?: (request: IncomingMessage, response: ServerResponse) => boolean
  /** Scopes that a method of the server needs. */
  needs?: Readonly<Record<string, string>>
}

/** An MCP server, and its authorization server at another origin. */
export interface World {
  readonly url: string
  readonly issuer: string
  readonly behaviour: Behaviour
  readonly seen: Seen[]
  /** Tokens that the server takes, with their scopes. */
  readonly valid: Map<string, string>
  /** How many were given. */
  tokens: number
  /** Named by the server's metadata. */
  authorizationServer: string
}

const paths = (world: World, path: string): Seen[] => world.seen.filter(seen => seen.path === path)

/** How often that endpoint was used. */
export const countOf = (world: World, path: string): number => paths(world, path).length

/** The last request at that endpoint. */
export const lastOf = (world: World, path: string): Seen | undefined => paths(world, path).at(-1)

const send = (response: ServerResponse, status: number, body: object, headers = {}): void =>
  void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))

/** What an endpoint answers. */
type Endpoint = (seen: Seen, response: ServerResponse, world: World, issuer: string) => void

const ENDPOINTS: Readonly<Record<string, Endpoint>> = {
  '/.well-known/oauth-authorization-server': (_, response, world, issuer) => {
    world.seen.pop()
    send(response, 200, metadataOf(issuer, world))
  },
  '/register': (_, response, world) => send(response, 201, { client_id: `client-${countOf(world, '/register')}` }),
  '/authorize': ({ params }, response, { behaviour }, issuer) => {
    const back = new URL(params['redirect_uri'] ?? '')
    const answer = { code: 'secret-code', state: params['state'] ?? '', iss: issuer }
    for (const [name, value] of Object.entries(answer)) back.searchParams.set(name, value)
    behaviour.redirect?.(back)
    response.writeHead(302, { location: back.href }).end()
  },
  '/token': (seen, response, world) => {
    const custom = world.behaviour.token?.(seen)
    if (custom?.status !== undefined) return send(response, custom.status, custom.body, custom.headers)
    const granted = seen.params['scope'] ?? lastOf(world, '/authorize')?.params['scope'] ?? ''
    const answer = { ...newTokens(world), ...(granted !== '' && { scope: granted }), ...custom?.body }
    world.valid.set(answer.access_token, granted)
    return send(response, 200, answer)
  },
}

function newTokens(world: World) {
  const count = ++world.tokens
  return { access_token: `token-${count}`, refresh_token: `refresh-${count}`, token_type: 'Bearer', expires_in: 3600 }
}

async function authorizationServer(world: () => World): Promise<string> {
  const issuer: string = await listening((request, response) => {
    if (world().behaviour.answer?.(request, response)) return
    const { pathname: path, search } = new URL(request.url ?? '', 'http://localhost')
    void text(request).then(body => {
      const isJson = request.headers['content-type'] === 'application/json'
      const params = isJson ? JSON.parse(body) : Object.fromEntries(new URLSearchParams(search || body))
      const seen: Seen = { path, params, headers: request.headers }
      world().seen.push(seen)
      const endpoint = ENDPOINTS[path]
      return endpoint ? endpoint(seen, response, world(), issuer) : send(response, 404, {})
    })
  })
  return issuer
}

const metadataOf = (issuer: string, { behaviour }: World): object => ({
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
  registration_endpoint: `${issuer}/register`,
  code_challenge_methods_supported: ['S256'],
  authorization_response_iss_parameter_supported: true,
  token_endpoint_auth_methods_supported: ['none', 'client_secret_basic'],
  ...behaviour.metadata,
})

const hello = { protocolVersion: versions[1], capabilities: { tools: {} }, serverInfo: { name: 'far', version: '1' } }

function resource(world: () => World): Promise<string> {
  return listening((request, response) => {
    const { valid, behaviour, authorizationServer: named, url } = world()
    if (request.url === '/.well-known/oauth-protected-resource/mcp')
      return send(response, 200, { resource: url, authorization_servers: [named] })
    void text(request).then(body => {
      if (request.method !== 'POST') return response.writeHead(405).end()
      const { id, method } = JSON.parse(body) as { id?: number; method: string }
      const scope = valid.get((request.headers.authorization ?? '').replace(/^\w+ /, ''))
      const needed = behaviour.needs?.[method]
      if (scope === undefined) return response.writeHead(401, { 'www-authenticate': 'Bearer scope="base"' }).end()
      if (needed !== undefined && !scope.split(' ').includes(needed)) {
        const challenge = `Bearer error="insufficient_scope", scope="${needed}"`
        return response.writeHead(403, { 'www-authenticate': challenge }).end()
      }
      if (id === undefined) return response.writeHead(202).end()
      return send(response, 200, { jsonrpc: '2.0', id, result: method === 'initialize' ? hello : {} })
    })
    return undefined
  })
}

/** A server that wants tokens, and an authorization server that gives them. */
export async function fakeWorld(behaviour: Behaviour = {}): Promise<World> {
  const world = {
    url: '',
    issuer: '',
    behaviour,
    seen: [],
    valid: new Map(),
    tokens: 0,
    authorizationServer: '',
  } as World & {
    url: string
    issuer: string
  }
  world.issuer = await authorizationServer(() => world)
  world.authorizationServer = world.issuer
  world.url = `${await resource(() => world)}/mcp`
  return world
}

/** Another authorization server for the same world. */
export const anotherIssuer = (world: World): Promise<string> => authorizationServer(() => world)

/** A person who agrees to everything. */
export async function agree(url: string): Promise<string> {
  const response = await fetch(url, { redirect: 'manual' })
  return response.headers.get('location') ?? ''
}

/** An authorizer for a world; by default with a person who agrees. */
export const authorizerFor = ({ url }: World, options: Partial<OAuthOptions> = {}): OAuthAuthorizer =>
  oauthAuthorizer({
    url,
    grant: { type: 'authorization_code', redirectUri: REDIRECT, open: agree },
    store: memoryCredentials(),
    ...options,
  })

/** A connection to a world's server, closed after the test. */
export async function connected({ url }: World, authorizer: OAuthAuthorizer): Promise<RemoteServer> {
  const remote = await RemoteServer.connect(
    { open: () => httpTransport({ url, authorizer }) },
    { client: { name: 'near', version: '1' }, version: String(versions[1]) },
  )
  onTestFinished(() => remote.close())
  return remote
}
