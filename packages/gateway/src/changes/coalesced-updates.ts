const EACH_MS = 100

/** Tells that something changed, at once, and what changes again soon after only once more. */
export class CoalescedUpdates {
  readonly #tell: (uri: string) => void
  /** By URI, whether it changed again since the last notification. */
  readonly #recent = new Map<string, boolean>()

  constructor(tell: (uri: string) => void) {
    this.#tell = tell
  }

  changed(uri: string): void {
    if (this.#recent.has(uri)) return void this.#recent.set(uri, true)
    this.#recent.set(uri, false)
    this.#tell(uri)
    setTimeout(() => this.#pass(uri), EACH_MS).unref()
  }

  #pass(uri: string): void {
    const hasChanged = this.#recent.get(uri)
    this.#recent.delete(uri)
    if (hasChanged) this.changed(uri)
  }
}
