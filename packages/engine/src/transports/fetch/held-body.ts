import { unref } from '../../support/unref.ts'
import type { HeldBytes } from '../limits/byte-budget.ts'

const PIECE = 64 * 1024
/** A reader that takes nothing for so long is given up. Hosts that drop a response do not always say so. */
export const UNREAD_MS = 60_000

/** A large answer that is held until its reader took it, left, or was given up. */
export function heldBody(bytes: Uint8Array, held: HeldBytes, signal: AbortSignal): ReadableStream<Uint8Array> {
  let at = 0
  let stream: ReadableStreamDefaultController<Uint8Array> | undefined
  let late: ReturnType<typeof setTimeout> | undefined
  const over = (): void => {
    clearTimeout(late)
    signal.removeEventListener('abort', leave)
    held.release()
    stream = undefined
  }
  const fail = (why: string): void => {
    const failed = stream
    over()
    failed?.error(new Error(why))
  }
  const leave = (): void => fail('The client left before it had read the answer')
  const wait = (): void => {
    clearTimeout(late)
    late = unref(setTimeout(() => fail('The answer was not read in time'), UNREAD_MS))
  }
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        stream = controller
        if (signal.aborted) return leave()
        signal.addEventListener('abort', leave, { once: true })
        wait()
      },
      pull(controller) {
        controller.enqueue(bytes.subarray(at, at + PIECE))
        at += PIECE
        if (at < bytes.length) return wait()
        over()
        controller.close()
      },
      cancel: over,
    },
    { highWaterMark: 0 },
  )
}
