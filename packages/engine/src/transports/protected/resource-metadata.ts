import { SIGNING_ALGORITHMS, shownScopes } from '../../auth/authenticator.ts'
import type { Authenticator } from '../../auth/authenticator.ts'
import { after } from '../../awaitable.ts'
import type { Awaitable } from '../../call.ts'
import type { Server } from '../../server.ts'
import type { EndpointScopes } from './endpoint-scopes.ts'
import { METADATA_PATH, endpointOf } from './endpoint-urls.ts'
import type { EndpointUrls } from './endpoint-urls.ts'
import { Refusal } from '../http/exchange.ts'
import type { Exchange } from '../http/exchange.ts'
import type { Route } from '../http/routes.ts'

interface Described {
  readonly server: Pick<Server, 'identity'>
  readonly urls: EndpointUrls
  readonly scopes: EndpointScopes
}

/**
 * Tells clients where to get tokens for each endpoint (RFC 9728); at the root, for the main one. Anyone may read it. There
 * is none without an authenticator that names authorization servers.
 */
export function metadataRoutes(authenticator: Authenticator | undefined, described: Described): Route[] {
  if (!authenticator?.authorizationServers) return []
  const handle = (exchange: Exchange): Awaitable<void> => describe(exchange, authenticator, described)
  const open = { public: true, anyOrigin: true, handle }
  return [
    { path: METADATA_PATH, ...open },
    { path: `${METADATA_PATH}/*`, ...open },
  ]
}

function describe(
  exchange: Exchange,
  { dpop, authorizationServers }: Authenticator,
  { server, urls, scopes }: Described,
): Awaitable<void> {
  if (exchange.method !== 'GET' && exchange.method !== 'HEAD')
    throw new Refusal(405, 'Method not allowed', -32000, { Allow: 'GET' })
  const named = exchange.path.slice(METADATA_PATH.length)
  // Behind a proxy, the path of the public URL may be part of it.
  const path = (named.startsWith(`${urls.path}/`) ? named.slice(urls.path.length) : named) || '/mcp'
  if (path !== endpointOf(path)) throw new Refusal(404, `There is no endpoint at ${path.slice(0, 100)}`)
  return after(scopes(path), needed => {
    const shown = shownScopes(needed)
    const metadata = {
      resource: urls.resourceOf({ path, header: name => exchange.header(name) }),
      resource_name: server.identity.title ?? server.identity.name,
      authorization_servers: authorizationServers,
      bearer_methods_supported: ['header'],
      ...(shown.length > 0 && { scopes_supported: shown }),
      ...(dpop && { dpop_signing_alg_values_supported: SIGNING_ALGORITHMS }),
      ...(dpop === 'require' && { dpop_bound_access_tokens_required: true }),
    }
    exchange.reply(200, JSON.stringify(metadata), { 'Cache-Control': 'no-cache' })
  })
}
