import { OAuthError } from '@causeway/engine/client'
import type { IssuerOptions } from '@causeway/engine/http'
import { Issuer } from '@causeway/engine/internal'
import type { Config } from '../config/config.ts'
import { counted } from '../terminal/print.ts'
import { ok, wordsOf } from './finding.ts'
import type { Finding } from './finding.ts'

const CHECK = 'issuer'

/** Can the tokens of every issuer be verified? Each is asked for its metadata and keys, as the first token would. */
export async function checkIssuers({ auth }: Pick<Config, 'auth'>): Promise<readonly Finding[]> {
  return (await Promise.all(auth.issuers.map(checkIssuer))).flat()
}

async function checkIssuer(options: IssuerOptions): Promise<readonly Finding[]> {
  const { issuer: name, introspection } = options
  try {
    const issuer = new Issuer(options)
    const count = (await issuer.keys.get()).jwks().keys.length
    const findings = [count > 0 ? ok(CHECK, `${name}: ${counted(count, 'key')}`) : noKeys(name)]
    if (introspection) await issuer.introspectionAt()
    return findings
  } catch (error) {
    const code = error instanceof OAuthError ? error.code : ''
    const fix = FIXES[code] ?? 'Correct the issuer in --auth-issuer, or under the key auth of the --config file.'
    return [{ check: CHECK, status: 'fail', message: `${name}: ${wordsOf(error)}`, fix }]
  }
}

const noKeys = (name: string): Finding => ({
  check: CHECK,
  status: 'fail',
  message: `${name}: there is no public key that can verify tokens`,
  fix: 'Let the issuer publish an RSA, EC or OKP key in its JSON Web Key Set.',
})

/** What to do, by the code of the error. */
const FIXES: Readonly<Record<string, string>> = {
  unreachable: 'Check the address, the network and the certificate of the issuer.',
  timeout: 'Check the network between this machine and the issuer.',
  issuer_mismatch: 'Write the issuer letter by letter as its metadata does, slash at the end included.',
  no_metadata:
    'Check the address: the issuer has to publish /.well-known/oauth-authorization-server or /.well-known/openid-configuration.',
  invalid_metadata:
    'Let the issuer name jwks_uri in its metadata, and introspection_endpoint if tokens are introspected.',
  no_keys: 'Let the issuer publish its keys as a JSON Web Key Set at its jwks_uri.',
  insecure_url: 'Use an issuer with https addresses.',
}
