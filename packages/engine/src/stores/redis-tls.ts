import { isIP } from 'node:net'
import type { ConnectionOptions } from 'node:tls'
import type { RedisAddress } from './redis-url.ts'

/** Certificates for a Redis behind TLS, as PEM text, where those that Node trusts are not enough. */
export interface RedisTls {
  /** The CA that signed the certificate of Redis. Default: those that Node trusts, and the file in NODE_EXTRA_CA_CERTS. */
  readonly ca?: string
  /** Our certificate, for a Redis that demands one. */
  readonly cert?: string
  /** The key of our certificate. */
  readonly key?: string
}

/** What a connection by TLS needs. An address that is an IP is checked, but has no name to ask for. */
export const tlsOptions = ({ host }: RedisAddress, given: RedisTls = {}): ConnectionOptions => ({
  ...given,
  ...(isIP(host) === 0 && { servername: host }),
})

const NOT_TRUSTED =
  /^(?:DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_(?:GET_ISSUER_CERT|VERIFY_LEAF_SIGNATURE)|CERT_)/
const NO_CERTIFICATE = /CERTIFICATE_REQUIRED|^ERR_SSL_(?:TLSV1_|SSLV3_)?ALERT_HANDSHAKE_FAILURE/

/** What is wrong with the certificates of a connection, to be said after the address; undefined where it is something else. */
export function tlsProblem(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  const { code = '', message } = error as NodeJS.ErrnoException
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return `has a certificate for another name: ${message}`
  if (NO_CERTIFICATE.test(code)) return 'demands a client certificate: give one as tls.cert and tls.key'
  if (!NOT_TRUSTED.test(code)) return undefined
  return `has a certificate that is not trusted: ${message}. Set NODE_EXTRA_CA_CERTS to the file of its CA, or give it as tls.ca`
}
