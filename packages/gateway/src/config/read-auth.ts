import { dirname, resolve } from 'node:path'
import { isObject } from '@causeway/engine/internal'
import { addressIn, checkKeys, filledIn, given } from './auth-values.ts'
import type { AuthSurroundings } from './auth-values.ts'
import { providerIn } from './identity-provider.ts'
import type { UpstreamAuth } from './upstream-config.ts'
import { list, text } from './values.ts'

type Json = Readonly<Record<string, unknown>>

/** The ways to get a token that an entry may name. */
export const GRANTS = ['authorization_code', 'client_credentials', 'jwt_bearer', 'enterprise'] as const

const KEYS = [
  'grant',
  'clientId',
  'clientSecret',
  'privateKey',
  'scopes',
  'clientMetadataUrl',
  'dpop',
  'issuer',
  'assumePkce',
  'assertionFile',
  'provider',
  'idTokenFile',
]
const KEY_PARTS = ['key', 'alg', 'kid']
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+$/

/** How to log in to a server, as the key "auth" of its entry says; undefined where there is none or it is wrong. */
export function readAuth(written: unknown, around: AuthSurroundings, problems: string[]): UpstreamAuth | undefined {
  if (written === undefined) return undefined
  if (!isObject(written))
    return void problems.push('\'auth\' must be an object, such as { "grant": "client_credentials" }')
  const before = problems.length
  checkKeys(written, KEYS, 'auth', problems)
  const filled = (key: string): string | undefined => filledIn(written, key, { at: 'auth', around, problems })
  const fileOf = (key: string): string | undefined => {
    const file = filled(key)
    return file === undefined ? undefined : resolve(dirname(around.file), file)
  }
  const auth: UpstreamAuth = {
    grant: grantIn(written, problems),
    scopes: scopesIn(written.scopes, problems),
    ...given('clientId', filled('clientId')),
    ...given('clientSecret', filled('clientSecret')),
    ...given('privateKey', privateKeyIn(written.privateKey, around, problems)),
    ...given('clientMetadataUrl', addressIn(filled('clientMetadataUrl'), 'auth.clientMetadataUrl', problems)),
    ...given('issuer', addressIn(filled('issuer'), 'auth.issuer', problems)),
    ...given('dpop', switchIn(written.dpop, 'auth.dpop', problems)),
    ...given('assumePkce', switchIn(written.assumePkce, 'auth.assumePkce', problems)),
    ...given('assertionFile', fileOf('assertionFile')),
    ...given('provider', providerIn(written.provider, around, problems)),
    ...given('idTokenFile', fileOf('idTokenFile')),
  }
  if (problems.length === before) problems.push(...missingIn(auth), ...foreignIn(auth))
  return problems.length === before ? auth : undefined
}

function grantIn(auth: Json, problems: string[]): UpstreamAuth['grant'] {
  const { grant, clientSecret, privateKey } = auth
  const needed = Object.entries(OF_GRANTS).find(([key]) => auth[key] !== undefined)
  const known = GRANTS.find(name => name === grant)
  if (known) return known
  if (grant !== undefined)
    problems.push(`'auth.grant' must be one of ${GRANTS.join(', ')}, got ${JSON.stringify(grant).slice(0, 100)}`)
  else if (needed) problems.push(needsGrant(...needed))
  else if (clientSecret !== undefined || privateKey !== undefined)
    problems.push(
      '\'auth\' has a secret of the client: say with "grant" whether it is for client_credentials or authorization_code',
    )
  return 'authorization_code'
}

/** Keys that one grant alone has a use for: with another one they are a mistake. */
const OF_GRANTS = { assertionFile: 'jwt_bearer', provider: 'enterprise', idTokenFile: 'enterprise' } as const

const needsGrant = (key: string, grant: string): string => `'auth.${key}' needs "grant": "${grant}"`

const foreignIn = (auth: UpstreamAuth): string[] =>
  Object.entries(OF_GRANTS)
    .filter(([key, grant]) => auth[key as keyof typeof OF_GRANTS] !== undefined && auth.grant !== grant)
    .map(([key, grant]) => needsGrant(key, grant))

/** What a grant cannot do without. */
function missingIn(auth: UpstreamAuth): string[] {
  const { clientSecret, privateKey } = auth
  const missing = NEEDS.filter(({ grant, keys }) => grant === auth.grant && keys.every(key => auth[key] === undefined))
  return [
    ...missing.map(({ grant, says }) => `'auth' with ${grant} needs ${says}`),
    ...(auth.assumePkce === true && auth.issuer === undefined
      ? ['\'auth.assumePkce\' needs "issuer", the authorization server that it is true of']
      : []),
    ...(clientSecret !== undefined && privateKey !== undefined
      ? ["'auth' may have 'clientSecret' or 'privateKey', but not both"]
      : []),
  ]
}

interface Need {
  readonly grant: UpstreamAuth['grant']
  /** One of these has to be there. */
  readonly keys: readonly (keyof UpstreamAuth)[]
  readonly says: string
}

const NEEDS: readonly Need[] = [
  { grant: 'client_credentials', keys: ['clientId', 'clientMetadataUrl'], says: '"clientId"' },
  { grant: 'client_credentials', keys: ['clientSecret', 'privateKey'], says: '"clientSecret" or "privateKey"' },
  {
    grant: 'jwt_bearer',
    keys: ['assertionFile'],
    says: '"assertionFile", the file that holds the token of the platform',
  },
  { grant: 'enterprise', keys: ['provider'], says: '"provider": { "issuer": "https://…", "clientId": "…" }' },
  {
    grant: 'enterprise',
    keys: ['idTokenFile'],
    says: '"idTokenFile", the file that holds the ID token of the provider',
  },
]

function scopesIn(scopes: unknown, problems: string[]): readonly string[] {
  const all = list(scopes, 'auth.scopes', problems)
  const wrong = all.find(scope => !SCOPE.test(scope))
  if (wrong !== undefined)
    problems.push(`'auth.scopes' must be one scope each, got ${JSON.stringify(wrong.slice(0, 100))}`)
  return all
}

function privateKeyIn(value: unknown, { fill }: AuthSurroundings, problems: string[]): UpstreamAuth['privateKey'] {
  if (value === undefined) return undefined
  if (!isObject(value) || typeof value.key !== 'string' || typeof value.alg !== 'string')
    return void problems.push(
      '\'auth.privateKey\' must be { "key": "${VAR}", "alg": "ES256" }: the key as PKCS #8 PEM or JWK, and its algorithm',
    )
  checkKeys(value, KEY_PARTS, 'auth.privateKey', problems)
  const kid = text(value.kid, 'auth.privateKey.kid', problems)
  return { key: fill(value.key), alg: value.alg, ...given('kid', kid) }
}

function switchIn(value: unknown, at: string, problems: string[]): boolean | undefined {
  if (value === undefined || typeof value === 'boolean') return value
  problems.push(`'${at}' must be true or false`)
  return undefined
}
