import { isObject } from '../support/is-object.ts'
import { OAuthError, secureUrl, shownUrl } from './fetch-json.ts'
import type { FetchJson } from './fetch-json.ts'

/** What an authorization server says of itself (RFC 8414, OpenID Connect Discovery). Only fields of the right type are kept. */
export interface ServerMetadata {
  readonly issuer: string
  readonly authorization_endpoint?: string
  readonly token_endpoint?: string
  readonly registration_endpoint?: string
  readonly introspection_endpoint?: string
  readonly revocation_endpoint?: string
  readonly jwks_uri?: string
  readonly scopes_supported?: readonly string[]
  readonly grant_types_supported?: readonly string[]
  readonly code_challenge_methods_supported?: readonly string[]
  readonly token_endpoint_auth_methods_supported?: readonly string[]
  readonly token_endpoint_auth_signing_alg_values_supported?: readonly string[]
  readonly dpop_signing_alg_values_supported?: readonly string[]
  readonly authorization_response_iss_parameter_supported?: boolean
  readonly client_id_metadata_document_supported?: boolean
}

const ENDPOINTS = [
  'authorization_endpoint',
  'token_endpoint',
  'registration_endpoint',
  'introspection_endpoint',
  'revocation_endpoint',
  'jwks_uri',
] as const
const LISTS = [
  'scopes_supported',
  'grant_types_supported',
  'code_challenge_methods_supported',
  'token_endpoint_auth_methods_supported',
  'token_endpoint_auth_signing_alg_values_supported',
  'dpop_signing_alg_values_supported',
] as const
const SWITCHES = ['authorization_response_iss_parameter_supported', 'client_id_metadata_document_supported'] as const

const MOST_NAMES = 1000

/**
 * Where the metadata of an issuer may be: RFC 8414 puts the well-known part before the path, OpenID after it; some servers
 * put that of OpenID before it, too.
 */
export function metadataUrls(issuer: string): readonly string[] {
  const { origin, pathname } = secureUrl(issuer, 'The issuer')
  const path = pathname.replace(/\/$/, '')
  const [oauth, openid] = ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration']
  const forms = path === '' ? [oauth, openid] : [oauth + path, openid + path, path + openid]
  return forms.map(form => origin + form)
}

/**
 * The metadata of an issuer; undefined where it has none at any of the places. Throws an OAuthError where it names another
 * issuer, compared letter by letter, or an endpoint that is not https.
 */
export async function serverMetadata(issuer: string, fetchJson: FetchJson): Promise<ServerMetadata | undefined> {
  for (const url of metadataUrls(issuer)) {
    const { status, body } = await fetchJson({ url })
    if (status !== 200 || !isObject(body)) continue
    const metadata = toServerMetadata(body, url)
    if (metadata.issuer === issuer) return metadata
    const named = metadata.issuer.slice(0, 200)
    throw new OAuthError(
      'issuer_mismatch',
      `${shownUrl(url)} is the metadata of the issuer ${JSON.stringify(named)}, not of ${JSON.stringify(issuer)}. ` +
        'The two have to be equal letter by letter.',
    )
  }
  return undefined
}

/** The fields that are known and of the right type. */
export function toServerMetadata(body: Readonly<Record<string, unknown>>, url: string): ServerMetadata {
  const { issuer } = body
  if (typeof issuer !== 'string') throw new OAuthError('invalid_metadata', `${shownUrl(url)} does not name its issuer`)
  const endpoints = ENDPOINTS.filter(name => body[name] !== undefined && body[name] !== null)
  for (const name of endpoints) secureUrl(body[name], `The ${name} of ${shownUrl(url)}`)
  const lists = LISTS.filter(name => Array.isArray(body[name]))
  const switches = SWITCHES.filter(name => typeof body[name] === 'boolean')
  return Object.fromEntries([
    ['issuer', issuer],
    ...[...endpoints, ...switches].map(name => [name, body[name]]),
    ...lists.map(name => [name, stringsIn(body[name])]),
  ])
}

/** The texts in a list, if it is one. */
export const stringsIn = (list: unknown): readonly string[] =>
  Array.isArray(list)
    ? list.slice(0, MOST_NAMES).filter((name): name is string => typeof name === 'string' && name.length <= 1000)
    : []
