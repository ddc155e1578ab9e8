import { isObject } from '@causeway/engine/internal'
import { addressIn, checkKeys, filledIn, given } from './auth-values.ts'
import type { AuthSurroundings } from './auth-values.ts'
import type { IdentityProvider } from './upstream-config.ts'

const KEYS = ['issuer', 'clientId', 'clientSecret', 'tokenEndpoint']
const AT = 'auth.provider'

/** The identity provider of an organisation, as `auth.provider` describes it; undefined where there is none or it is wrong. */
export function providerIn(
  written: unknown,
  around: AuthSurroundings,
  problems: string[],
): IdentityProvider | undefined {
  if (written === undefined) return undefined
  if (!isObject(written))
    return void problems.push(`'${AT}' must be an object, such as { "issuer": "https://…", "clientId": "…" }`)
  checkKeys(written, KEYS, AT, problems)
  const filled = (key: string): string | undefined => filledIn(written, key, { at: AT, around, problems })
  const [issuer, clientId] = [filled('issuer'), filled('clientId')]
  if (issuer === undefined) problems.push(`'${AT}' needs "issuer", the address of the identity provider`)
  if (clientId === undefined) problems.push(`'${AT}' needs "clientId", the client that the gateway is there`)
  if (issuer === undefined || clientId === undefined) return undefined
  addressIn(issuer, `${AT}.issuer`, problems)
  return {
    issuer,
    clientId,
    ...given('clientSecret', filled('clientSecret')),
    ...given('tokenEndpoint', addressIn(filled('tokenEndpoint'), `${AT}.tokenEndpoint`, problems)),
  }
}
