import type { CryptoKey } from 'jose'
import { OAuthError, secureUrl, shownUrl } from '../../oauth/fetch-json.ts'
import type { FetchJson } from '../../oauth/fetch-json.ts'
import { loadJose } from '../../oauth/jose.ts'
import type { ServerMetadata } from '../../oauth/server-metadata.ts'
import { isObject } from '../../support/is-object.ts'
import type { ClientKey, CredentialStore, StoredClient } from './credential-store.ts'
import type { ClientPrivateKey, OAuthOptions } from './oauth-options.ts'
import { printable } from './token-request.ts'
import type { ClientProof } from './token-request.ts'

/** Who this client is at one authorization server, and how it proves it. */
export interface ClientIdentity {
  readonly clientId: string
  readonly clientSecret?: string | undefined
  readonly privateKey?: ClientPrivateKey | undefined
  /** How it proves who it is, if the authorization server decided that. */
  readonly authMethod?: string | undefined
}

/** What it takes to find or make an identity. */
export interface IdentitySource {
  readonly options: OAuthOptions
  readonly store: CredentialStore
  readonly metadata: ServerMetadata
  readonly fetchJson: FetchJson
  /** Empty for grants without a browser, which need a client that was registered beforehand. */
  readonly redirectUri: string
}

/** The client that was registered beforehand, then the client metadata document, then dynamic registration. */
export async function clientIdentity(source: IdentitySource): Promise<ClientIdentity> {
  const { options, store, metadata } = source
  const { clientId, clientSecret, privateKey, clientMetadataUrl } = options
  if (clientId !== undefined) return { clientId, clientSecret, privateKey }
  if (clientMetadataUrl !== undefined && metadata.client_id_metadata_document_supported === true)
    return { clientId: checkedMetadataUrl(clientMetadataUrl), privateKey }
  const key = keyOf(source)
  const kept = await store.get(key)
  if (kept && (kept.expiresAt ?? Infinity) > Date.now()) return kept
  const registered = await register(source)
  await store.set(key, registered)
  return registered
}

/** The identity that tokens were given to; undefined if it is gone. */
export async function knownIdentity(source: IdentitySource, clientId: string): Promise<ClientIdentity | undefined> {
  const { options, store } = source
  const { clientSecret, privateKey } = options
  if (clientId === options.clientId) return { clientId, clientSecret, privateKey }
  if (clientId === options.clientMetadataUrl) return { clientId, privateKey }
  const kept = await store.get(keyOf(source))
  return kept?.clientId === clientId ? kept : undefined
}

/** Forget a registration that the authorization server no longer knows. */
export const forgetRegistration = ({ store, ...source }: IdentitySource): Promise<void> =>
  store.delete(keyOf({ store, ...source }))

const keyOf = ({ metadata, redirectUri }: IdentitySource): ClientKey => ({
  kind: 'client',
  issuer: metadata.issuer,
  redirectUri,
})

function checkedMetadataUrl(value: string): string {
  const { protocol, pathname } = secureUrl(value, 'The URL of the client metadata document')
  if (protocol === 'https:' && pathname !== '/') return value
  throw new OAuthError('invalid_url', 'The URL of the client metadata document needs https and a path')
}

const isLoopback = (host: string): boolean => /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(host)

/** An application on this machine, or a site? The redirect URI tells. */
function applicationType(redirectUri: string): 'native' | 'web' {
  const { protocol, hostname } = new URL(redirectUri)
  return protocol === 'https:' && !isLoopback(hostname) ? 'web' : 'native'
}

async function register({ options, metadata, fetchJson, redirectUri }: IdentitySource): Promise<StoredClient> {
  const endpoint = metadata.registration_endpoint
  if (endpoint === undefined || redirectUri === '')
    throw new OAuthError(
      'no_client',
      `${shownUrl(metadata.issuer)} does not register clients by itself: register one there, and configure its clientId`,
    )
  const supported = metadata.token_endpoint_auth_methods_supported ?? ['none']
  const method = ['none', 'client_secret_basic', 'client_secret_post'].find(name => supported.includes(name)) ?? 'none'
  const { status, body } = await fetchJson({
    url: endpoint,
    body: {
      client_name: options.clientName ?? 'Causeway',
      application_type: applicationType(redirectUri),
      redirect_uris: [redirectUri],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: method,
    },
  })
  const fields = isObject(body) ? body : {}
  const { client_id, client_secret, token_endpoint_auth_method, client_secret_expires_at } = fields
  if ((status === 200 || status === 201) && typeof client_id === 'string' && client_id.length <= 4096) {
    const ends = Number(client_secret_expires_at)
    return {
      clientId: client_id,
      ...(typeof client_secret === 'string' && { clientSecret: client_secret }),
      ...(typeof token_endpoint_auth_method === 'string' && { authMethod: token_endpoint_auth_method }),
      ...(ends > 0 && { expiresAt: ends * 1000 }),
    }
  }
  const why = [fields.error, fields.error_description].filter(part => typeof part === 'string').join(': ')
  throw new OAuthError(
    'registration_failed',
    `${shownUrl(endpoint)} did not register this client: ${why === '' ? `HTTP status ${status}` : printable(why)}`,
  )
}

/** What goes with a token request to prove who the client is. */
export async function clientProof(identity: ClientIdentity, metadata: ServerMetadata): Promise<ClientProof> {
  const { clientId, clientSecret, privateKey } = identity
  if (privateKey) return assertionProof(clientId, privateKey, metadata.issuer)
  const method = clientSecret === undefined ? 'none' : secretMethod(identity, metadata)
  if (clientSecret === undefined || method === 'none') return { headers: {}, params: { client_id: clientId } }
  if (method === 'client_secret_post')
    return { headers: {}, params: { client_id: clientId, client_secret: clientSecret } }
  const pair = [clientId, clientSecret].map(formEncoded).join(':')
  return { headers: { authorization: `Basic ${Buffer.from(pair).toString('base64')}` }, params: {} }
}

const METHODS = ['client_secret_basic', 'client_secret_post', 'none']

function secretMethod({ authMethod }: ClientIdentity, metadata: ServerMetadata): string {
  if (authMethod !== undefined && METHODS.includes(authMethod)) return authMethod
  const supported = metadata.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
  return METHODS.find(name => supported.includes(name)) ?? 'client_secret_basic'
}

/** As RFC 6749 wants it in the header, where a colon has a meaning. */
const formEncoded = (text: string): string => new URLSearchParams({ '': text }).toString().slice(1)

async function assertionProof(clientId: string, key: ClientPrivateKey, audience: string): Promise<ClientProof> {
  const { SignJWT } = await loadJose()
  const { alg, kid } = key
  const assertion = await new SignJWT({})
    .setProtectedHeader({ alg, ...(kid !== undefined && { kid }) })
    .setIssuer(clientId)
    .setSubject(clientId)
    .setAudience(audience)
    .setIssuedAt()
    .setExpirationTime('2m')
    .setJti(crypto.randomUUID())
    .sign(await importedKey(key))
  const type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
  return { headers: {}, params: { client_id: clientId, client_assertion_type: type, client_assertion: assertion } }
}

async function importedKey({ key, alg }: ClientPrivateKey): Promise<CryptoKey | Uint8Array> {
  const { importJWK, importPKCS8 } = await loadJose()
  try {
    return await (/^\s*\{/.test(key) ? importJWK(JSON.parse(key), alg) : importPKCS8(key, alg))
  } catch {
    // The reason may quote the key.
    throw new OAuthError('invalid_key', `The private key of the client cannot be read as a key for ${printable(alg)}`)
  }
}
