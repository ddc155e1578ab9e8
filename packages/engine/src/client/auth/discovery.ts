import { OAuthError, shownUrl } from '../../oauth/fetch-json.ts'
import type { FetchJson } from '../../oauth/fetch-json.ts'
import { serverMetadata } from '../../oauth/server-metadata.ts'
import type { ServerMetadata } from '../../oauth/server-metadata.ts'
import { protectedResource } from './protected-resource.ts'

/** Where to get a token for a server. */
export interface TokenSource {
  readonly metadata: ServerMetadata
  /** What to ask a token for (RFC 8707); undefined for a server without metadata. */
  readonly resource: string | undefined
  /** The scopes that the server's metadata names. */
  readonly scopesSupported: readonly string[]
}

/** What is known before anything is asked. */
export interface DiscoveryHints {
  /** `resource_metadata` of a challenge. */
  readonly resourceMetadata?: string | undefined
  /** The issuer to use, and no other. */
  readonly issuer?: string | undefined
}

/** Find the authorization server of an MCP server: asked again for each login, since a server may move to another one. */
export async function discover(server: URL, hints: DiscoveryHints, fetchJson: FetchJson): Promise<TokenSource> {
  const found = await protectedResource(server, hints.resourceMetadata, fetchJson)
  const { resource, scopesSupported = [], authorizationServers = [] } = found ?? {}
  const issuer = chosenIssuer(authorizationServers, hints.issuer)
  // Before there was such metadata, a server was its own authorization server, or stood before it at the same origin.
  const metadata = issuer === undefined ? await originMetadata(server, fetchJson) : await metadataOf(issuer, fetchJson)
  return { metadata, resource, scopesSupported }
}

/** The metadata of an issuer, or of an origin that is one without saying so. */
export async function issuerMetadata(issuer: string, server: URL, fetchJson: FetchJson): Promise<ServerMetadata> {
  return issuer === server.origin ? originMetadata(server, fetchJson) : metadataOf(issuer, fetchJson)
}

function chosenIssuer(offered: readonly string[], wanted: string | undefined): string | undefined {
  if (wanted === undefined || offered.length === 0 || offered.includes(wanted)) return wanted ?? offered[0]
  const named = offered.slice(0, 5).map(issuer => JSON.stringify(issuer.slice(0, 200)))
  throw new OAuthError(
    'issuer_mismatch',
    `The server uses the authorization server ${named.join(', ')}, and the configured issuer is ${JSON.stringify(wanted)}`,
  )
}

async function metadataOf(issuer: string, fetchJson: FetchJson): Promise<ServerMetadata> {
  const metadata = await serverMetadata(issuer, fetchJson)
  if (metadata) return metadata
  throw new OAuthError('no_metadata', `The authorization server ${shownUrl(issuer)} has no metadata at any known place`)
}

async function originMetadata({ origin }: URL, fetchJson: FetchJson): Promise<ServerMetadata> {
  return (
    (await serverMetadata(origin, fetchJson)) ?? {
      issuer: origin,
      authorization_endpoint: `${origin}/authorize`,
      token_endpoint: `${origin}/token`,
      registration_endpoint: `${origin}/register`,
      code_challenge_methods_supported: ['S256'],
    }
  )
}
