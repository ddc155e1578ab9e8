import type { AuthenticationRequest } from './authenticator.ts'

/** What of a request says which token it shows, and on which connection. */
export type Showing = Partial<Pick<AuthenticationRequest, 'connection' | 'header'>>

interface Shown<T> {
  readonly authorization: string
  readonly found: T
}

// What a connection may hold for that.
const LONGEST = 4 * 1024

/**
 * What was found out about the token that was shown last on a connection. Nearly every request of a connection shows the same
 * token, and comparing it costs a hundredth of hashing it. The text of a token is kept for as long as its connection is open.
 */
export class LastShown<T> {
  readonly #last = new WeakMap<object, Shown<T>>()

  get(request: Showing): T | undefined {
    const last = request.connection && this.#last.get(request.connection)
    return last && last.authorization === request.header?.('authorization') ? last.found : undefined
  }

  set(request: Showing, found: T): void {
    const authorization = request.header?.('authorization')
    if (request.connection && authorization !== undefined && authorization.length <= LONGEST)
      this.#last.set(request.connection, { authorization, found })
  }
}
