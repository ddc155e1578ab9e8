import type { CryptoKey } from 'jose'
import { OAuthError, secureUrl } from '../../oauth/fetch-json.ts'
import type { FetchJson } from '../../oauth/fetch-json.ts'
import { loadJose } from '../../oauth/jose.ts'
import type { ServerMetadata } from '../../oauth/server-metadata.ts'
import type { ClientKey, CredentialStore } from './credential-store.ts'
import type { ClientPrivateKey, OAuthOptions } from './oauth-options.ts'
import { registerClient } from './registration.ts'
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
  const registered = await registerClient(source)
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
