import { dirname, resolve } from 'node:path'
import { didYouMean } from '@causeway/engine'
import { isObject } from '@causeway/engine/internal'
import type { UpstreamAuth } from './upstream-config.ts'
import { list, text } from './values.ts'

type Json = Readonly<Record<string, unknown>>

/** What an entry is read with. */
export interface AuthSurroundings {
  /** The file of the entry, for relative paths. */
  readonly file: string
  /** Fills variables in. */
  fill(value: string): string
}

/** The ways to get a token that an entry may name. */
export const GRANTS = ['authorization_code', 'client_credentials', 'jwt_bearer'] as const

const KEYS = [
  'grant',
  'clientId',
  'clientSecret',
  'privateKey',
  'scopes',
  'clientMetadataUrl',
  'dpop',
  'issuer',
  'assertionFile',
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
  const filled = (key: string): string | undefined => {
    const value = text(written[key], `auth.${key}`, problems)
    return value === undefined ? undefined : around.fill(value)
  }
  const assertion = filled('assertionFile')
  const auth: UpstreamAuth = {
    grant: grantIn(written, problems),
    scopes: scopesIn(written.scopes, problems),
    ...given('clientId', filled('clientId')),
    ...given('clientSecret', filled('clientSecret')),
    ...given('privateKey', privateKeyIn(written.privateKey, around, problems)),
    ...given('clientMetadataUrl', addressIn(filled('clientMetadataUrl'), 'clientMetadataUrl', problems)),
    ...given('issuer', addressIn(filled('issuer'), 'issuer', problems)),
    ...given('dpop', dpopIn(written.dpop, problems)),
    ...given('assertionFile', assertion === undefined ? undefined : resolve(dirname(around.file), assertion)),
  }
  problems.push(...missingIn(auth))
  return problems.length === before ? auth : undefined
}

const given = <K extends string, V>(key: K, value: V | undefined): { [key in K]?: V } =>
  value === undefined ? {} : ({ [key]: value } as { [key in K]: V })

function checkKeys(value: Json, known: readonly string[], where: string, problems: string[]): void {
  for (const key of Object.keys(value)) {
    if (known.includes(key)) continue
    const advice = didYouMean(key, known) ?? `Known are ${known.join(', ')}.`
    problems.push(`unknown key '${where}.${key.slice(0, 100)}'. ${advice}`)
  }
}

function grantIn({ grant, assertionFile, clientSecret, privateKey }: Json, problems: string[]): UpstreamAuth['grant'] {
  const known = GRANTS.find(name => name === grant)
  if (known) return known
  if (grant !== undefined)
    problems.push(`'auth.grant' must be one of ${GRANTS.join(', ')}, got ${JSON.stringify(grant).slice(0, 100)}`)
  else if (assertionFile !== undefined) problems.push('\'auth.assertionFile\' needs "grant": "jwt_bearer"')
  else if (clientSecret !== undefined || privateKey !== undefined)
    problems.push(
      '\'auth\' has a secret of the client: say with "grant" whether it is for client_credentials or authorization_code',
    )
  return 'authorization_code'
}

/** What a grant cannot do without. */
function missingIn({
  grant,
  clientId,
  clientSecret,
  privateKey,
  clientMetadataUrl,
  assertionFile,
}: UpstreamAuth): string[] {
  const missing: string[] = []
  if (grant === 'client_credentials' && clientId === undefined && clientMetadataUrl === undefined)
    missing.push('\'auth\' with client_credentials needs "clientId"')
  if (grant === 'client_credentials' && clientSecret === undefined && privateKey === undefined)
    missing.push('\'auth\' with client_credentials needs "clientSecret" or "privateKey"')
  if (grant === 'jwt_bearer' && assertionFile === undefined)
    missing.push('\'auth\' with jwt_bearer needs "assertionFile", the file that holds the token of the platform')
  if (clientSecret !== undefined && privateKey !== undefined)
    missing.push("'auth' may have 'clientSecret' or 'privateKey', but not both")
  return missing
}

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

function addressIn(value: string | undefined, key: string, problems: string[]): string | undefined {
  if (value === undefined || (URL.canParse(value) && /^https?:/.test(value))) return value
  problems.push(`'auth.${key}' must be an address that begins with https://`)
  return undefined
}

function dpopIn(value: unknown, problems: string[]): boolean | undefined {
  if (value === undefined || typeof value === 'boolean') return value
  problems.push("'auth.dpop' must be true or false")
  return undefined
}
