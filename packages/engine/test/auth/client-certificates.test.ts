import type { PeerCertificate } from 'node:tls'
import { clientCertificates } from '@causeway/engine/http'
import type { AuthenticationRequest } from '@causeway/engine/http'
import { expect, test } from 'vitest'

const found = (subject: object): unknown => {
  const certificate = { subject, valid_to: 'Jan  1 00:00:00 2100 GMT' } as PeerCertificate
  const request = { tlsPeer: { certificate, authorized: true }, header: () => undefined } as unknown
  return clientCertificates().authenticate(request as AuthenticationRequest)
}

test.each([
  [{ CN: 'ada' }, 'ada'],
  [{ CN: ['ada', 'root'] }, 'CN=ada, CN=root'],
  [{ CN: 'ada, CN=root' }, String.raw`CN=ada\, CN\=root`],
  [{ CN: 'O=x' }, String.raw`CN=O\=x`],
  [{ O: 'x, CN=ada' }, String.raw`O=x\, CN\=ada`],
  [{ O: 'x', OU: ['a', String.raw`b\, c`] }, String.raw`O=x, OU=a, OU=b\\\, c`],
  [{ CN: '', O: 'x' }, 'CN=, O=x'],
])('no other subject has the name of %j', (subject, name) => {
  expect(found(subject)).toMatchObject({ name })
})
