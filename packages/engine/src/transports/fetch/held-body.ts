import type { HeldBytes } from '../limits/byte-budget.ts'

const PIECE = 64 * 1024

/** A large answer that is held until its reader took it, or left. */
export function heldBody(bytes: Uint8Array, held: HeldBytes, signal: AbortSignal): ReadableStream<Uint8Array> {
  let at = 0
  const over = (): void => {
    signal.removeEventListener('abort', over)
    held.release()
  }
  signal.addEventListener('abort', over, { once: true })
  return new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        controller.enqueue(bytes.subarray(at, at + PIECE))
        at += PIECE
        if (at < bytes.length) return
        controller.close()
        over()
      },
      cancel: over,
    },
    { highWaterMark: 0 },
  )
}
