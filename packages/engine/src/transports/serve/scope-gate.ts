import type { Awaitable, Link } from '../../call.ts'
import { insufficientScope, requiredScopes } from '../../auth/scopes.ts'
import { kindOf } from '../../errors/error-response.ts'
import type { Response } from '../../jsonrpc/message.ts'

interface Waiting {
  readonly go: () => void
  readonly stop: (why: Error) => void
}

/** One request of a batch, at the gate. */
export interface GatedRequest {
  /** The link that it is served with. */
  readonly link: Link
  /** It has its answer. */
  ended(response: Response | undefined): void
}

/**
 * Holds the requests of a batch where their calls may run, until that is decided for all of them: if one lacks scopes, none
 * runs. What passes does so a few at a time.
 */
export class ScopeGate {
  readonly #atOnce: number
  readonly #onOpen: () => Awaitable<unknown>
  readonly #scopes = new Set<string>()
  readonly #waiting: Waiting[] = []
  #undecided: number
  #running = 0
  #isRefused = false
  #isOpen = false

  /** `onOpen` is done with before anything runs, if all may run. */
  constructor(requests: number, atOnce: number, onOpen: () => Awaitable<unknown>) {
    this.#undecided = requests
    this.#atOnce = atOnce
    this.#onOpen = onOpen
    if (requests === 0) void this.#open()
  }

  /** What the whole needs, if something in it may not run. */
  get refused(): readonly string[] | undefined {
    return this.#isRefused ? [...this.#scopes] : undefined
  }

  /** A request that comes to the gate. */
  request(link: Link): GatedRequest {
    let isOver = false
    let own: Waiting | undefined
    const begin = (scopes: readonly string[]): Awaitable<void> => {
      // A call that was asked something runs again, and one that was cancelled may not have heard of it.
      if (own || isOver) return undefined
      for (const scope of scopes) this.#scopes.add(scope)
      return new Promise((go, stop) => {
        own = { go, stop }
        this.#waiting.push(own)
        this.#decided()
      })
    }
    const ended = (response: Response | undefined): void => {
      isOver = true
      if (own) this.#leave(own)
      else this.#refuse(response)
    }
    return { link: { ...link, begin }, ended }
  }

  #leave(own: Waiting): void {
    const at = this.#waiting.indexOf(own)
    // It was cancelled while it waited.
    if (at >= 0) return void this.#waiting.splice(at, 1)
    this.#running -= 1
    this.#release()
  }

  /** It was answered before it came to the gate. */
  #refuse(response: Response | undefined): void {
    if (response && kindOf(response) === 'insufficient-scope') {
      this.#isRefused = true
      for (const scope of requiredScopes(response)) this.#scopes.add(scope)
    }
    this.#decided()
  }

  #decided(): void {
    this.#undecided -= 1
    if (this.#undecided > 0) return
    if (!this.#isRefused) return void this.#open()
    for (const { stop } of this.#waiting.splice(0)) stop(insufficientScope([...this.#scopes]))
  }

  async #open(): Promise<void> {
    try {
      await this.#onOpen()
    } finally {
      this.#isOpen = true
      this.#release()
    }
  }

  #release(): void {
    while (this.#isOpen && this.#running < this.#atOnce) {
      const next = this.#waiting.shift()
      if (!next) return
      this.#running += 1
      next.go()
    }
  }
}
