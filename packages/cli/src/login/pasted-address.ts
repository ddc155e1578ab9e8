import type { Readable } from 'node:stream'

const LONGEST_LINE = 16_384
const MOST_LINES = 100

/** What to do with lines that are no answer. */
export interface Pasting {
  /** Is this address the answer to the login? */
  readonly isAnswer: (url: URL) => boolean
  /** Told of a line that is not. */
  readonly onOther: () => void
  readonly signal: AbortSignal
}

/** Read lines until one is the address that a browser was sent back to. Never resolves if the input ends before. */
export function pastedAddress(input: Readable, { isAnswer, onOther, signal }: Pasting): Promise<string> {
  return new Promise(resolve => {
    let [rest, lines] = ['', 0]
    const stop = (): void => {
      input.off('data', read)
      input.off('error', stop)
      input.pause()
    }
    const take = (line: string): void => {
      if (line === '') return
      if (URL.canParse(line) && isAnswer(new URL(line))) {
        stop()
        return resolve(line)
      }
      lines += 1
      if (lines <= MOST_LINES) onOther()
      else stop()
    }
    const read = (chunk: Buffer | string): void => {
      const parts = (rest + chunk.toString()).split(/\r?\n/)
      rest = (parts.pop() ?? '').slice(0, LONGEST_LINE)
      for (const line of parts) take(line.slice(0, LONGEST_LINE).trim())
    }
    input.on('data', read)
    input.on('error', stop)
    signal.addEventListener('abort', stop, { once: true })
  })
}
