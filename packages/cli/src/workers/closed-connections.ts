import type { PrimaryChannel } from './primary-channel.ts'

const TOGETHER_MS = 20

/** Connections that closed, reported to the primary process in batches. */
export class ClosedConnections {
  #count = 0

  add(channel: PrimaryChannel): void {
    this.#count += 1
    if (this.#count > 1) return
    setTimeout(() => {
      channel.send({ type: 'closed', count: this.#count })
      this.#count = 0
    }, TOGETHER_MS).unref()
  }
}
