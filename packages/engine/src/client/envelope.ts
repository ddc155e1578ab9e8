import type { LogLevel } from '../call.ts'
import type { Params } from '../jsonrpc/message.ts'
import { META } from '../protocol/keys.ts'

/** What one request says of its sender, where that is not what all of them say. */
interface Sender {
  readonly logLevel?: LogLevel | undefined
  readonly capabilities?: Params | undefined
}

/** What requests of the stateless era say of their sender: put together once for all that say the same. */
export class Envelope {
  readonly #usual: Params
  readonly #others = new WeakMap<Params, Map<LogLevel | undefined, Params>>()

  constructor(usual: Params) {
    this.#usual = usual
  }

  /** Not to be changed: other requests may carry it, too. */
  of({ logLevel, capabilities = this.#usual[META.clientCapabilities] as Params }: Sender): Params {
    const known = this.#others.get(capabilities)
    return known?.get(logLevel) ?? this.#add(capabilities, logLevel, known)
  }

  #add(capabilities: Params, logLevel: LogLevel | undefined, known = new Map<LogLevel | undefined, Params>()): Params {
    const level = logLevel === undefined ? undefined : { [META.logLevel]: logLevel }
    const envelope = { ...this.#usual, ...level, [META.clientCapabilities]: capabilities }
    this.#others.set(capabilities, known.set(logLevel, envelope))
    return envelope
  }
}
