import { setTimeout as pause } from 'node:timers/promises'
import type { Stateful } from '../../packages/engine/test/support/http-client.ts'
import type { Stream } from '../../packages/engine/test/support/http-exchange.ts'
import type { ReceivedMessage } from '../../packages/engine/test/support/peer.ts'
import type { Random } from '../fuzz/random.ts'
import { secondsSince } from './fault-history.ts'
import type { FaultHistory } from './fault-history.ts'

/** Reads the events of one call to the answer, over connections that are cut now and then, by us or by a fault. */
export class StreamReader {
  readonly messages: ReceivedMessage[] = []
  readonly ids: string[] = []
  resumed = 0
  /** The status and text with which the rest was refused for good. */
  refused = ''
  readonly #session: Stateful
  readonly #random: Random
  readonly #history: FaultHistory
  readonly #attempts: string[] = []
  #began = 0

  constructor(session: Stateful, random: Random, history: FaultHistory) {
    this.#session = session
    this.#random = random
    this.#history = history
  }

  /** Send a request and read until it is answered, nothing more is to be had, or patience ends. */
  async read(body: object, id: string, isPatient: () => boolean): Promise<this> {
    this.#began = performance.now()
    let stream = await this.#session.stream(body).catch(() => undefined)
    while (isPatient()) {
      const isMore = await this.#take(stream)
      const last = this.ids.at(-1)
      if (!isMore || last === undefined || this.messages.some(m => m.method === undefined && m.id === id)) break
      this.resumed += 1
      await pause(50)
      stream = await this.#session.listen(last).catch(() => undefined)
    }
    return this
  }

  /** Was it refused because its events went with the process that had them, as may be after two faults? */
  get isLostWithProcess(): boolean {
    const [, processId = ''] = /^r([\da-z]+)x\d+x\d+_/.exec(this.ids.at(-1) ?? '') ?? []
    return this.refused.startsWith('410') && this.#history.mayHaveLost(processId, this.#began)
  }

  /** Each connection and what came of it, and what was broken meanwhile. */
  get story(): string {
    const faults = this.#history.since(this.#began)
    return `${this.refused} after ${this.ids.at(-1)}; read: ${this.#attempts.join(', ')}; faults: ${faults.join(', ')}`
  }

  /** Read what a stream has; false if nothing more is to be had. */
  async #take(stream: Stream | undefined): Promise<boolean> {
    const before = this.ids.length
    if (stream?.status === 200) await this.#readSome(stream)
    else await stream?.ended
    const read = this.ids.length - before
    this.#attempts.push(`${stream?.status ?? 'failed'} (${read} events) ${secondsSince(this.#began)}`)
    if (!stream || stream.status === 200 || stream.status === 503) return true
    this.refused = `${stream.status} ${stream.text}`
    return false
  }

  async #readSome(stream: Stream): Promise<void> {
    if (this.#random.chance(0.4)) {
      await pause(this.#random.below(300))
      // Without the id of an event nobody could resume.
      await stream.reads(() => stream.ids.length > 0).catch(() => {})
      stream.hangUp()
    }
    await stream.ended
    this.messages.push(...stream.messages)
    this.ids.push(...stream.ids)
  }
}
