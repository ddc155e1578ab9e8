import type { Authenticator } from '../authenticator.ts'
import { OPERATOR_SCOPE } from '../scopes.ts'
import { beside } from './beside.ts'

/**
 * Lets in clients on a Unix socket that only the user who runs the server may connect to: the principal is `user:` and the
 * id of that user, who is an operator. A request with a token is left to `others`, if there are any.
 */
export function socketOwner(others?: Authenticator): Authenticator {
  const principal = { name: `user:${process.getuid?.() ?? 'local'}`, scopes: [OPERATOR_SCOPE] }
  return beside(others, request =>
    others && request.header('authorization') !== undefined ? others.authenticate(request) : principal,
  )
}
