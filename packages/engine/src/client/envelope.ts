import type { LogLevel } from '../call.ts'
import type { Params } from '../jsonrpc/message.ts'
import { META } from '../protocol/keys.ts'

/** What one request says of its sender, where that is not what all of them say. */
interface Sender {
  readonly logLevel?: LogLevel | undefined
  readonly capabilities?: Params | undefined
}

/** What requests of the stateless era say of their sender. */
export class Envelope {
  readonly #usual: Params
  /** Of the last request: nearly all of them say the same. */
  #last: Params
  #logLevel: LogLevel | undefined
  #capabilities: Params | undefined

  constructor(usual: Params) {
    this.#usual = usual
    this.#last = usual
  }

  /** Not to be changed: other requests may carry it, too. */
  of({ logLevel, capabilities }: Sender): Params {
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
