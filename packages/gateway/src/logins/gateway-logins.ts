import { randomBytes } from 'node:crypto'
import type { Awaitable, Log } from '@causeway/engine'
import { memoryCredentials } from '@causeway/engine/client'
import type { CredentialStore } from '@causeway/engine/client'
import type { Authenticator } from '@causeway/engine/http'
import type { Presence, Values } from '@causeway/engine/stores'
import type { Upstream } from '../upstream/upstream.ts'
import { LoginNotes } from './login-notes.ts'
import type { LoginNote } from './login-notes.ts'
import { LoginSeal, newNonce } from './login-seal.ts'
import type { LoginTicket } from './login-seal.ts'
import type { LoginServices } from './upstream-login.ts'

/** How browsers reach the pages of logins. */
export interface LoginDoor {
  /** What browsers write before `/login`; undefined while that is not known. */
  readonly url: () => string | undefined
  /** Who is let in. Without it, the clients of this machine are one user, if `isLocal`. */
  readonly authenticator?: Authenticator | undefined
  /** Can only this machine reach the server, and are no tokens needed? */
  readonly isLocal: boolean
  /** Hears of every login that was tried to its end. */
  readonly onLogin?: ((login: TriedLogin) => void) | undefined
}

/** A login of a principal to a server, tried to its end. */
export interface TriedLogin {
  readonly principal: string
  readonly server: string
  readonly outcome: 'ok' | 'failed'
}

/** What logins are kept and sealed with. */
export interface GatewayLoginsOptions {
  /** Where tokens and registrations are kept. Default: in memory. */
  readonly kept: CredentialStore | undefined
  /** Seals links; processes that serve the same need the same. Default: that of the store they share, or a random one. */
  readonly secret?: string | undefined
  readonly shared?: (Presence & Values) | undefined
  readonly log: Log
  find(server: string): Upstream | undefined
}

/** A login that calls may wait for. */
export interface WaitedLogin {
  readonly principal: string
  readonly upstream: Upstream
  /** What the store had when the login was asked for. */
  readonly mark: string | undefined
  /** The last login that had failed by then. */
  readonly failure: string | undefined
}

const LINK_MS = 10 * 60_000
// A link that ends sooner is not given to another call.
const LEFT_MS = 5 * 60_000
const MOST_LINKS = 10_000
const POLL_MS = 1000
const SECRET_MS = 30 * 24 * 60 * 60_000

interface MadeLink {
  readonly ticket: LoginTicket
  readonly url: string
  /** The link of the principal that had been used last when it was made. */
  readonly lastUsed: string | undefined
}

/** A call that waits for a login. */
interface Waiter {
  readonly login: WaitedLogin
  end(outcome: LoginOutcome): void
}

/** What became of a login that was waited for. */
export type LoginOutcome = 'done' | 'failed' | 'late'

/** Logins of people to the servers behind a gateway: links for them, and who waits for them. */
export class GatewayLogins implements LoginServices {
  readonly store: CredentialStore
  readonly seal: LoginSeal
  readonly #notes: LoginNotes
  readonly find: (server: string) => Upstream | undefined
  readonly #shared: (Presence & Values) | undefined
  readonly #own: string
  readonly #log: Log
  readonly #links = new Map<string, MadeLink>()
  /** Links that were used, and when they end. */
  readonly #used = new Map<string, number>()
  readonly #waiting = new Set<Waiter>()
  #door: LoginDoor | undefined

  constructor({ kept = memoryCredentials(), secret, shared, log, find }: GatewayLoginsOptions) {
    this.#log = log
    this.store = kept
    this.#notes = new LoginNotes(kept)
    this.#shared = shared
    this.find = find
    this.#own = secret ?? randomBytes(32).toString('base64url')
    const isShared = secret === undefined && shared !== undefined
    this.seal = new LoginSeal(() => (isShared ? this.#sharedSecret(shared) : this.#own))
  }

  /** From now on browsers can reach the pages. */
  open(door: LoginDoor): void {
    this.#door = door
  }

  get door(): LoginDoor | undefined {
    return this.#door
  }

  get waiting(): number {
    return this.#waiting.size
  }

  isLocal(): boolean {
    return this.#door?.isLocal === true
  }

  redirectUri(): string {
    const url = this.#door?.url()
    return url === undefined ? '' : `${url}/login/callback`
  }

  onNeeded(server: string): void {
    this.#log('info', 'a server needs a login: who calls one of its tools is asked for it', { server })
  }

  /** The link with which a principal logs in to a server; undefined where no page is served. The same until it is used. */
  async linkFor(principal: string, { name, login }: Upstream, view?: string): Promise<string | undefined> {
    const base = this.#door?.url()
    if (base === undefined || !login?.isPersonal) return undefined
    const key = JSON.stringify([principal, name, login.url, base, view])
    const known = this.#links.get(key)
    const lastUsed = await this.#notes.last('used', { principal, url: login.url })
    // Whichever link was used since, and in whichever process.
    if (known && known.lastUsed === lastUsed && this.#isFresh(known.ticket)) return known.url
    const ticket = { principal, server: name, url: login.url, view, nonce: newNonce(), expiresAt: Date.now() + LINK_MS }
    const url = `${base}/login/${await this.seal.seal('link', ticket)}`
    this.#links.set(key, { ticket, url, lastUsed })
    const [oldest] = this.#links.keys()
    if (this.#links.size > MOST_LINKS && oldest !== undefined) this.#links.delete(oldest)
    return url
  }

  /** Is it still good for a while? */
  #isFresh({ expiresAt, nonce }: LoginTicket): boolean {
    return expiresAt - Date.now() > LEFT_MS && !this.#used.has(nonce)
  }

  /** The ticket of a link, and its server; undefined if it is over, was used, or is none of ours. */
  async ticketIn(link: string): Promise<{ ticket: LoginTicket; upstream: Upstream } | undefined> {
    const ticket = await this.seal.open('link', link)
    const upstream = ticket && this.find(ticket.server)
    const isGood = ticket && ticket.expiresAt > Date.now() && !this.#used.has(ticket.nonce)
    return isGood && upstream?.login?.url === ticket.url ? { ticket, upstream } : undefined
  }

  /** Use a link up; false if it was used before, here or in another process. */
  async use(ticket: LoginTicket): Promise<boolean> {
    const { nonce, expiresAt } = ticket
    const now = Date.now()
    for (const [old, end] of this.#used) if (end < now) this.#used.delete(old)
    if (expiresAt <= now || this.#used.has(nonce)) return false
    this.#used.set(nonce, expiresAt)
    await this.#note('used', ticket, nonce)
    if (!this.#shared) return true
    const mine = newNonce()
    return (await this.#shared.once(`login-used:${nonce}`, mine, expiresAt - now + 1000)) === mine
  }

  /** A principal logged in: calls that wait for it go on. */
  async loggedIn(principal: string, upstream: Upstream): Promise<void> {
    this.#door?.onLogin?.({ principal, server: upstream.name, outcome: 'ok' })
    await upstream.loggedIn(principal)
    this.#end(principal, upstream, 'done')
  }

  /** A principal tried to log in, and could not: calls that wait for it fail, here and in other processes. */
  async failed(principal: string, upstream: Upstream): Promise<void> {
    this.#door?.onLogin?.({ principal, server: upstream.name, outcome: 'failed' })
    this.#end(principal, upstream, 'failed')
    await this.#note('failed', { principal, url: upstream.login?.url ?? '' }, newNonce())
  }

  /** Names the last login of a principal that failed, here or in another process. */
  async lastFailure(principal: string, { login }: Upstream): Promise<string | undefined> {
    return this.#notes.last('failed', { principal, url: login?.url ?? '' })
  }

  async #note(note: LoginNote, whose: Pick<LoginTicket, 'principal' | 'url'>, text: string): Promise<void> {
    await this.#notes.add(note, whose, text).catch((error: unknown) => {
      this.#log('warn', 'the outcome of a login could not be sent to other processes', { error })
    })
  }

  /** Resolves when the principal has logged in, here or in another process, could not, or after `ms`. */
  async wait(
    login: WaitedLogin,
    ms: number,
    onCancelled: (leave: (why: Error) => void) => void,
  ): Promise<LoginOutcome> {
    let poll: NodeJS.Timeout | undefined
    let late: NodeJS.Timeout | undefined
    let waiter: Waiter | undefined
    try {
      return await new Promise<LoginOutcome>((resolve, reject) => {
        waiter = { login, end: resolve }
        this.#waiting.add(waiter)
        late = setTimeout(resolve, ms, 'late').unref()
        const look = async (): Promise<void> => {
          const outcome = await this.#outcomeOf(login)
          if (outcome) resolve(outcome)
        }
        poll = setInterval(() => void look(), POLL_MS).unref()
        onCancelled(reject)
      })
    } finally {
      clearInterval(poll)
      clearTimeout(late)
      if (waiter) this.#waiting.delete(waiter)
    }
  }

  /** Did the principal log in since? What another process got is used from now on. */
  async isNew({ principal, upstream, mark }: WaitedLogin): Promise<boolean> {
    try {
      const now = await upstream.login?.mark(principal)
      if (now === undefined || now === mark) return false
      await upstream.loggedIn(principal)
      return true
    } catch {
      // The store is away: it is asked again.
      return false
    }
  }

  async #outcomeOf(login: WaitedLogin): Promise<LoginOutcome | undefined> {
    if (await this.isNew(login)) return 'done'
    const { principal, upstream, failure } = login
    // If the store is away, it is asked again.
    const last = await this.lastFailure(principal, upstream).catch(() => failure)
    return last === failure ? undefined : 'failed'
  }

  #end(principal: string, upstream: Upstream, outcome: LoginOutcome): void {
    for (const { login, end } of this.#waiting)
      if (login.principal === principal && login.upstream === upstream) end(outcome)
  }

  #sharedSecret(store: Presence & Values): Awaitable<string> {
    return store.once('login-secret', this.#own, SECRET_MS)
  }
}
