import type { Cancellation } from '../jsonrpc/cancellation.ts'
import type { TaskRecord } from './task-record.ts'
import type { TaskStore } from './task-store.ts'

// A message between processes can be lost.
const LOOK_AGAIN_MS = 5000

/** How long something is waited for. */
export interface Patience {
  readonly cancellation: Cancellation
  /** No longer than that; default: until it is cancelled. */
  readonly ms?: number
}

/** A task as soon as that is true of it; undefined if it is gone, or if that took too long. Rejects when the wait is cancelled. */
export async function untilTask(
  store: TaskStore,
  id: string,
  isReady: (record: TaskRecord) => boolean,
  { cancellation, ms = Infinity }: Patience,
): Promise<TaskRecord | undefined> {
  const bell = new Bell()
  cancellation.watch(() => bell.ring())
  const stop = await store.watch(id, () => bell.ring())
  const end = performance.now() + ms
  try {
    for (;;) {
      if (cancellation.reason) throw cancellation.reason
      const record = await store.read(id)
      if (!record || isReady(record)) return record
      const left = end - performance.now()
      if (left <= 0) return undefined
      await bell.heard(Math.min(left, LOOK_AGAIN_MS))
    }
  } finally {
    stop()
  }
}

/** Wakes the one who waits; a ring that came earlier is not lost. */
class Bell {
  #rung = false
  #wake: () => void = () => {}

  ring(): void {
    this.#rung = true
    this.#wake()
  }

  async heard(ms: number): Promise<void> {
    if (!this.#rung) {
      let timer: NodeJS.Timeout | undefined
      await new Promise<void>(resolve => {
        this.#wake = resolve
        timer = setTimeout(resolve, ms)
      })
      clearTimeout(timer)
    }
    this.#rung = false
  }
}
