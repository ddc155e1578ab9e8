interface Gate {
  readonly entered: Promise<void>
  readonly opened: Promise<void>
  readonly left: Promise<string>
  enter(): void
  open(): void
  leave(why: string): void
}

function newGate(): Gate {
  let enter = (): void => {}
  let open = (): void => {}
  let leave = (_why: string): void => {}
  const entered = new Promise<void>(resolve => (enter = resolve))
  const opened = new Promise<void>(resolve => (open = resolve))
  const left = new Promise<string>(resolve => (leave = resolve))
  return { entered, opened, left, enter, open, leave }
}

/** Places where a handler waits until the test lets it go on, by name. */
export class Gates {
  readonly #gates = new Map<string, Gate>()

  /** The handler's side: say that it is here, and wait; a cancelled one is told apart, and still waits. */
  async pass(key: string, signal: AbortSignal): Promise<void> {
    const gate = this.#at(key)
    const onAbort = (): void => gate.leave(String((signal.reason as Error | undefined)?.message))
    if (signal.aborted) onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
    gate.enter()
    await gate.opened
  }

  /** Resolves when a handler waits there. */
  entered(key: string): Promise<void> {
    return this.#at(key).entered
  }

  /** Resolves with the reason when the handler that waits there is cancelled. */
  cancelled(key: string): Promise<string> {
    return this.#at(key).left
  }

  open(key: string): void {
    this.#at(key).open()
  }

  /** Let everyone go. */
  openAll(): void {
    for (const gate of this.#gates.values()) gate.open()
  }

  #at(key: string): Gate {
    const gate = this.#gates.get(key) ?? newGate()
    this.#gates.set(key, gate)
    return gate
  }
}
