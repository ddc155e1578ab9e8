import { OAuthError, shownUrl } from '../../oauth/fetch-json.ts'
import type { FetchJson } from '../../oauth/fetch-json.ts'
import { stringsIn } from '../../oauth/server-metadata.ts'
import { isObject } from '../../support/is-object.ts'

/** What a server says of itself as a protected resource (RFC 9728). */
export interface ProtectedResource {
  /** The identifier that tokens are asked for, exactly as it was published. */
  readonly resource: string
  readonly authorizationServers: readonly string[]
  readonly scopesSupported: readonly string[]
}

const WELL_KNOWN = '/.well-known/oauth-protected-resource'

/** Where the metadata may be: the place that a challenge names, then the well-known ones, with the path first. */
export function resourceMetadataUrls(server: URL, challenged?: string): readonly string[] {
  const path = server.pathname.replace(/\/$/, '')
  const named =
    challenged !== undefined && URL.canParse(challenged, server.href) ? [new URL(challenged, server).href] : []
  const wellKnown = [`${server.origin}${WELL_KNOWN}${path}${server.search}`, `${server.origin}${WELL_KNOWN}`]
  return [...new Set([...named, ...wellKnown])]
}

/** The metadata of a server; undefined if it has none. Throws if it is that of another server. */
export async function protectedResource(
  server: URL,
  challenged: string | undefined,
  fetchJson: FetchJson,
): Promise<ProtectedResource | undefined> {
  for (const url of resourceMetadataUrls(server, challenged)) {
    const { status, body } = await fetchJson({ url })
    if (status !== 200 || !isObject(body) || typeof body.resource !== 'string') continue
    const { resource } = body
    if (!belongsTo(resource, server)) {
      const named = JSON.stringify(resource.slice(0, 200))
      throw new OAuthError('resource_mismatch', `${shownUrl(url)} is about ${named}, which is not ${shownUrl(server)}`)
    }
    return {
      resource,
      authorizationServers: stringsIn(body.authorization_servers),
      scopesSupported: stringsIn(body.scopes_supported),
    }
  }
  return undefined
}

/** Is it the server itself, or a path above it on the same origin? */
function belongsTo(resource: string, server: URL): boolean {
  if (!URL.canParse(resource)) return false
  const { origin, pathname, search, hash } = new URL(resource)
  if (origin !== server.origin || hash !== '' || (search !== '' && search !== server.search)) return false
  const [above, own] = [pathname, server.pathname].map(path => `${path.replace(/\/$/, '')}/`)
  return own?.startsWith(above ?? '?') ?? false
}
