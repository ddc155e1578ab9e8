import type { AuthenticationRequest, Authenticator, TlsPeer } from '../authenticator.ts'
import type { Principal } from '../principal.ts'
import { beside } from './beside.ts'

const MISSING = 'Show a client certificate of an authority that this server trusts'
const UNTRUSTED = 'The client certificate is not from an authority that this server trusts, or is out of date'

/**
 * Lets in clients that show a certificate of a trusted authority on a TLS connection. The principal is the common name of
 * its subject; without exactly one, or with one that could be taken for more, the whole subject. A request with a token is left to `others`, if there are any.
 */
export function clientCertificates(others?: Authenticator): Authenticator {
  return beside(others, request =>
    others && (request.header('authorization') !== undefined || !request.tlsPeer)
      ? others.authenticate(request)
      : ofPeer(request),
  )
}

function ofPeer({ tlsPeer }: AuthenticationRequest): Principal | { refused: string } {
  if (!tlsPeer) return { refused: MISSING }
  if (!tlsPeer.authorized) return { refused: UNTRUSTED }
  const { certificate } = tlsPeer
  const expiresAt = Date.parse(certificate.valid_to)
  return { name: nameOf(certificate), ...(Number.isFinite(expiresAt) && { expiresAt }) }
}

// What would make one value look like several.
const MARKS = /[\\,=]/g

function nameOf({ subject }: TlsPeer['certificate']): string {
  const { CN } = subject
  if (typeof CN === 'string' && CN !== '' && !CN.includes('=')) return CN
  // The keys as they are in the certificate, each with all of its values.
  return Object.entries(subject)
    .flatMap(([key, value]) => [value].flat().map(one => `${key}=${String(one).replaceAll(MARKS, String.raw`\$&`)}`))
    .join(', ')
}
