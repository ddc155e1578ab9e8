import type { Authenticator } from '../authenticator.ts'

/**
 * Lets in clients on a Unix socket that only the user who runs the server may connect to: the principal is `user:` and the
 * id of that user. A request with a token is left to `others`, if there are any.
 */
export function socketOwner(others?: Authenticator): Authenticator {
  const principal = { name: `user:${process.getuid?.() ?? 'local'}` }
  return {
    ...others,
    authenticate: request =>
      others && request.header('authorization') !== undefined ? others.authenticate(request) : principal,
  }
}
