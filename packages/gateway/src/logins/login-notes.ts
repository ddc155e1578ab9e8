import type { ClientKey, CredentialStore } from '@causeway/engine/client'
import type { LoginTicket } from './login-seal.ts'

/** What processes tell each other of a login: that one failed, and which link was used last. */
export type LoginNote = 'failed' | 'used'

type Whose = Pick<LoginTicket, 'principal' | 'url'>

/** What became of logins: kept where logins are, so that other processes hear of it. */
export class LoginNotes {
  readonly #store: CredentialStore

  constructor(store: CredentialStore) {
    this.#store = store
  }

  /** The last one of a principal at a server; undefined if there was none. */
  async last(note: LoginNote, whose: Whose): Promise<string | undefined> {
    return (await this.#store.get(keyFor(note, whose)))?.clientId
  }

  async add(note: LoginNote, whose: Whose, text: string): Promise<void> {
    await this.#store.set(keyFor(note, whose), { clientId: text })
  }
}

/** That of a client at an issuer that cannot exist: stores know no other kind for what is no login. */
const keyFor = (note: LoginNote, { principal, url }: Whose): ClientKey => ({
  kind: 'client',
  issuer: `login ${note} at ${url}`,
  redirectUri: principal,
})
