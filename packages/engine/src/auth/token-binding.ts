import { createHash } from 'node:crypto'
import type { AuthenticationRequest, DpopMode, RefusedToken } from './authenticator.ts'
import type { Confirmation } from './claims.ts'
import type { DpopProofs } from './dpop-proof.ts'

/** How tokens may be bound to their clients. */
export interface Bindings {
  readonly dpop: DpopMode | undefined
  readonly proofs: DpopProofs | undefined
}

type Shown = Pick<AuthenticationRequest, 'method' | 'url' | 'header' | 'token' | 'dpopToken' | 'tlsPeer'>

/** Why a token is not taken the way it was sent; undefined if it is. A bound token is never taken as an unbound one. */
export function bindingProblem(
  { jkt, x5t }: Confirmation,
  request: Shown,
  { dpop, proofs }: Bindings,
): RefusedToken | undefined | Promise<RefusedToken | undefined> {
  if (x5t !== undefined && x5t !== certificateHash(request))
    return { refused: 'The token is bound to another certificate than that of this connection' }
  const { dpopToken } = request
  if (jkt === undefined)
    return dpopToken === undefined && dpop !== 'require'
      ? undefined
      : {
          refused:
            dpopToken === undefined ? ONLY_BOUND : 'The token is not bound to a key: send it as Authorization: Bearer',
        }
  if (!proofs) return { refused: 'The token is bound to a key, which is not supported here' }
  if (dpopToken === undefined)
    return { refused: 'The token is bound to a key: send it as Authorization: DPoP, with a proof' }
  const { method, url } = request
  return proofs.check({ method, url, header: name => request.header(name), token: dpopToken, jkt })
}

const ONLY_BOUND = 'Only tokens that are bound to a key (DPoP) are accepted here'

function certificateHash({ tlsPeer }: Shown): string | undefined {
  return tlsPeer && createHash('sha256').update(tlsPeer.certificate.raw).digest('base64url')
}
