import type { SubscribedUris } from '../call.ts'
import { fault } from '../jsonrpc/errors.ts'

/** How many resources one session, or one stream, may listen to. */
export const MOST_SUBSCRIPTIONS = 1000
/** How long the URI of one may be. */
export const LONGEST_URI = 2048

/** The URIs a session subscribed to, no more and no longer than may be. */
export class Subscriptions implements SubscribedUris {
  readonly #uris: Set<string>
  readonly #changed: () => void

  constructor(uris: readonly string[], changed: () => void) {
    this.#uris = new Set(uris)
    this.#changed = changed
  }

  get size(): number {
    return this.#uris.size
  }

  has(uri: string): boolean {
    return this.#uris.has(uri)
  }

  add(uri: string): void {
    if (this.#uris.has(uri)) return
    checkUri(uri)
    if (this.#uris.size >= MOST_SUBSCRIPTIONS) throw tooMany()
    this.#uris.add(uri)
    this.#changed()
  }

  delete(uri: string): void {
    if (this.#uris.delete(uri)) this.#changed()
  }

  /** Become these. */
  refresh(uris: readonly string[]): void {
    this.#uris.clear()
    for (const uri of uris) this.#uris.add(uri)
  }

  [Symbol.iterator](): Iterator<string> {
    return this.#uris.values()
  }
}

/** Refuse a URI that is too long to be kept. */
export function checkUri(uri: string): void {
  if (uri.length <= LONGEST_URI) return
  throw fault('invalid-params', `Invalid params: a URI of a subscription may have ${LONGEST_URI} characters at most`)
}

/** The refusal of one more subscription. */
export const tooMany = (): Error =>
  fault(
    'busy',
    `Busy: at most ${MOST_SUBSCRIPTIONS} resources can be subscribed to`,
    { limit: MOST_SUBSCRIPTIONS },
    { hint: 'Unsubscribe from some first.' },
  )
