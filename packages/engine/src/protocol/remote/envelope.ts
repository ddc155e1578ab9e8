import type { Introduction } from '../../client/remote.ts'
import type { Params } from '../../jsonrpc/message.ts'
import type { LogLevel } from '../../wire.ts'
import { META } from '../keys.ts'

/** What a request without a session says of its sender. */
export const envelopeOf = (version: string, { client, capabilities }: Introduction): Params => ({
  [META.protocolVersion]: version,
  [META.clientCapabilities]: capabilities,
  [META.clientInfo]: client,
})

/** Envelopes of requests: nearly all of them are the same. */
export class ClientEnvelope {
  readonly #usual: Params
  #last: Params
  #logLevel: LogLevel | undefined
  #capabilities: Params | undefined

  constructor(usual: Params) {
    this.#usual = usual
    this.#last = usual
  }

  /** Not to be changed: other requests may carry it, too. */
  of(logLevel: LogLevel | undefined, capabilities: Params | undefined): Params {
    if (logLevel === this.#logLevel && capabilities === this.#capabilities) return this.#last
    this.#logLevel = logLevel
    this.#capabilities = capabilities
    this.#last = {
      ...this.#usual,
      ...(logLevel !== undefined && { [META.logLevel]: logLevel }),
      ...(capabilities && { [META.clientCapabilities]: capabilities }),
    }
    return this.#last
  }
}
