import type { Redis } from 'ioredis'

type Listener = (message: string) => void

/** Who listens to which channel, in this process; Redis is asked for each channel once. */
export class RedisChannels {
  readonly #listeners = new Map<string, Set<Listener>>()
  #subscriber: Redis | undefined

  /** Listen with this client, which subscribes to every channel again after it was disconnected. */
  attach(subscriber: Redis): void {
    this.#subscriber = subscriber
    subscriber.on('message', (channel: string, message: string) => {
      for (const listener of this.#listeners.get(channel) ?? []) listener(message)
    })
  }

  /** Subscribe to every channel that has listeners. */
  async resubscribe(subscriber: Redis): Promise<void> {
    const channels = [...this.#listeners.keys()]
    if (channels.length > 0) await subscriber.subscribe(...channels)
    else await subscriber.ping()
  }

  /** Listen; where Redis is away that begins when it is back. */
  async add(channel: string, listener: Listener): Promise<() => void> {
    const listeners = this.#listeners.get(channel) ?? new Set()
    this.#listeners.set(channel, listeners.add(listener))
    if (listeners.size === 1) await this.#subscriber?.subscribe(channel).catch(() => {})
    return () => {
      listeners.delete(listener)
      if (listeners.size > 0 || this.#listeners.get(channel) !== listeners) return
      this.#listeners.delete(channel)
      this.#subscriber?.unsubscribe(channel).catch(() => {})
    }
  }
}
