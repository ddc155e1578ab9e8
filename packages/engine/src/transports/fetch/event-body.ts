import type { Events } from '../http/exchange.ts'
import { BEHIND_MS, FAR_BEHIND } from '../limits/slow-readers.ts'
import { unref } from '../../support/unref.ts'
import type { Hold } from './read-body.ts'

// What a reader may leave before writing counts as waiting for it.
const READY_BYTES = 64 * 1024

const encoder = new TextEncoder()

/** An event stream as the body of a response. What its reader did not take yet is held by `hold`, and bounded. */
export class EventBody implements Events {
  readonly stream: ReadableStream<Uint8Array>
  readonly #hold: Hold
  readonly #onOver: (hasLeft: boolean) => void
  readonly #listeners: (() => void)[] = []
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined
  #late: ReturnType<typeof setTimeout> | undefined

  /** `onOver` is called once: has the reader gone, or been given up, before the end? */
  constructor(hold: Hold, onOver: (hasLeft: boolean) => void) {
    this.#hold = hold
    this.#onOver = onOver
    this.stream = new ReadableStream<Uint8Array>(
      {
        start: controller => void (this.#controller = controller),
        pull: () => void this.#count(),
        cancel: () => this.leave(),
      },
      { highWaterMark: READY_BYTES, size: chunk => chunk?.length ?? 0 },
    )
  }

  get open(): boolean {
    return this.#controller !== undefined
  }

  write(text: string): void {
    if (!this.#controller) return
    this.#controller.enqueue(encoder.encode(text))
    if (!this.#count()) return this.#fail()
    if (this.#waiting > FAR_BEHIND) this.#late ??= unref(setTimeout(() => this.#judge(), BEHIND_MS))
  }

  end(): void {
    const controller = this.#controller
    this.#over(false)
    controller?.close()
  }

  /** The reader went away. */
  leave(): void {
    this.#over(true)
  }

  onClose(listener: () => void): void {
    if (this.#controller) this.#listeners.push(listener)
    else queueMicrotask(listener)
  }

  /** How many bytes the reader has not taken. */
  get #waiting(): number {
    return READY_BYTES - (this.#controller?.desiredSize ?? READY_BYTES)
  }

  #count(): boolean {
    return this.#hold(this.#waiting)
  }

  #judge(): void {
    this.#late = undefined
    if (this.#waiting > FAR_BEHIND) this.#fail()
  }

  #fail(): void {
    const controller = this.#controller
    this.leave()
    controller?.error(new Error('The reader of the event stream is too far behind'))
  }

  #over(hasLeft: boolean): void {
    if (!this.#controller) return
    this.#controller = undefined
    clearTimeout(this.#late)
    this.#hold(0)
    for (const listener of this.#listeners.splice(0)) listener()
    this.#onOver(hasLeft)
  }
}
