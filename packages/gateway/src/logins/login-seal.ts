import { createHash, randomBytes } from 'node:crypto'
import type { Awaitable } from '@causeway/engine'
import type { PendingLogin } from '@causeway/engine/client'
import { openSealed, sealText } from '@causeway/engine/internal'

/** Who may log in to which server with a link, and until when. */
export interface LoginTicket {
  readonly principal: string
  readonly server: string
  /** The address of the server: a link is not for another one that has got its name. */
  readonly url: string
  /** The virtual server that the call came to, if it did: its client's token may be for that endpoint. */
  readonly view?: string | undefined
  /** Makes it one link and no other. */
  readonly nonce: string
  readonly expiresAt: number
}

/** What a browser keeps while its person is at the authorization server. */
export interface BegunLogin {
  readonly ticket: LoginTicket
  readonly pending: PendingLogin
  /** At an issuer of ours, to prove who it is, before the login itself? */
  readonly isProof?: true
}

interface Sealed {
  readonly link: LoginTicket
  readonly cookie: BegunLogin
}

/** Seals links and cookies, so that only processes that have the same secret can open them. */
export class LoginSeal {
  readonly #secret: () => Awaitable<string>

  constructor(secret: () => Awaitable<string>) {
    this.#secret = secret
  }

  async seal<K extends keyof Sealed>(kind: K, value: Sealed[K]): Promise<string> {
    return sealText(JSON.stringify(value), await this.#for(kind))
  }

  /** What was sealed; undefined if it was changed, or is none of ours. */
  async open<K extends keyof Sealed>(kind: K, text: string): Promise<Sealed[K] | undefined> {
    const opened = openSealed(text, await this.#for(kind))
    return opened === undefined ? undefined : (JSON.parse(opened) as Sealed[K])
  }

  async #for(kind: keyof Sealed): Promise<{ key: Buffer; context: Buffer }> {
    const key = createHash('sha256')
      .update(`causeway login\n${await this.#secret()}`)
      .digest()
    return { key, context: Buffer.from(kind) }
  }
}

/** A random text of 128 bits. */
export const newNonce = (): string => randomBytes(16).toString('base64url')

// Of all ways to prove who a client is, those that a login may need to know of.
const METHODS = new Set(['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none'])

/** A login that was begun, without what is not needed to finish it: cookies have little room. */
export function slimLogin(pending: PendingLogin): PendingLogin {
  const { metadata, resource } = pending.source
  const { issuer, token_endpoint, authorization_response_iss_parameter_supported: namesIssuer } = metadata
  const methods = metadata.token_endpoint_auth_methods_supported?.filter(method => METHODS.has(method))
  const needed = {
    issuer,
    ...(token_endpoint !== undefined && { token_endpoint }),
    ...(namesIssuer !== undefined && { authorization_response_iss_parameter_supported: namesIssuer }),
    ...(methods && { token_endpoint_auth_methods_supported: methods }),
  }
  return { ...pending, url: '', source: { metadata: needed, resource, scopesSupported: [] } }
}
