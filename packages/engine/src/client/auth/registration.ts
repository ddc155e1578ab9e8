import { OAuthError, shownUrl } from '../../oauth/fetch-json.ts'
import type { FetchJson, JsonResponse } from '../../oauth/fetch-json.ts'
import type { ServerMetadata } from '../../oauth/server-metadata.ts'
import { isObject } from '../../support/is-object.ts'
import type { StoredClient } from './credential-store.ts'
import type { OAuthOptions } from './oauth-options.ts'
import { saidIn } from './token-request.ts'

/** What it takes to register this client. */
export interface Registration {
  readonly options: OAuthOptions
  readonly metadata: ServerMetadata
  readonly fetchJson: FetchJson
  readonly redirectUri: string
}

const METHODS = ['none', 'client_secret_basic', 'client_secret_post']

/** Register this client by itself (RFC 7591). */
export async function registerClient(registration: Registration): Promise<StoredClient> {
  const { options, metadata, fetchJson, redirectUri } = registration
  const endpoint = metadata.registration_endpoint
  if (endpoint === undefined || redirectUri === '')
    throw new OAuthError(
      'no_client',
      `${shownUrl(metadata.issuer)} does not register clients by itself: register one there, and configure its clientId`,
    )
  const supported = metadata.token_endpoint_auth_methods_supported ?? METHODS
  const response = await fetchJson({
    url: endpoint,
    body: {
      client_name: options.clientName ?? 'Causeway',
      application_type: applicationType(redirectUri),
      redirect_uris: [redirectUri],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: METHODS.find(name => supported.includes(name)) ?? 'none',
    },
  })
  const client = clientIn(response)
  if (client) return client
  throw new OAuthError('registration_failed', `${shownUrl(endpoint)} did not register this client: ${saidIn(response)}`)
}

/** An application on this machine, or a site? The redirect URI tells. */
function applicationType(redirectUri: string): 'native' | 'web' {
  const { protocol, hostname } = new URL(redirectUri)
  return protocol === 'https:' && !/^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname) ? 'web' : 'native'
}

function clientIn({ status, body }: JsonResponse): StoredClient | undefined {
  if ((status !== 200 && status !== 201) || !isObject(body)) return undefined
  const { client_id, client_secret, token_endpoint_auth_method, client_secret_expires_at } = body
  if (typeof client_id !== 'string' || client_id.length > 4096) return undefined
  const ends = Number(client_secret_expires_at)
  return {
    clientId: client_id,
    ...(typeof client_secret === 'string' && { clientSecret: client_secret }),
    ...(typeof token_endpoint_auth_method === 'string' && { authMethod: token_endpoint_auth_method }),
    ...(ends > 0 && { expiresAt: ends * 1000 }),
  }
}
