import { signal } from '@preact/signals'
import type { Ask, Result } from '@causeway/engine/browser'

/** A question of a tool that waits for a person. */
export interface OpenAsk {
  readonly id: number
  readonly ask: Ask
  /** Who asks: a tool, and its server. */
  readonly from: string
  reply(answer: Result): void
  refuse(why: string): void
}

/** Questions, oldest first: one is shown at a time. */
export const asks = signal<readonly OpenAsk[]>([])
/** Folders that the page says it works in; one URI per line. */
export const roots = signal('')

let last = 0

/** Put a question to the person, and wait for the answer. */
export function answerAsk(ask: Ask, signal: AbortSignal, from = 'The server'): Promise<Result> {
  return new Promise((resolve, reject) => {
    const id = ++last
    const close = (): void => void (asks.value = asks.value.filter(one => one.id !== id))
    const open: OpenAsk = {
      id,
      ask,
      from,
      reply: answer => (close(), resolve(answer)),
      refuse: why => (close(), reject(new Error(why))),
    }
    signal.addEventListener('abort', () => (close(), reject(new Error('The question was withdrawn'))), { once: true })
    asks.value = [...asks.value, open]
  })
}
