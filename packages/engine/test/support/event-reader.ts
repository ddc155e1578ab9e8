import type { Events } from '../../src/transports/http/exchange.ts'

/** A reader of an event stream, in memory. */
export interface EventReader extends Events {
  readonly texts: string[]
}

/** A reader that keeps what it is sent until it is let go. */
export function eventReader(): EventReader {
  const texts: string[] = []
  const listeners: (() => void)[] = []
  let isOpen = true
  return {
    texts,
    get open() {
      return isOpen
    },
    write: text => void (isOpen && texts.push(text)),
    end() {
      isOpen = false
      for (const listener of listeners.splice(0)) listener()
    },
    onClose: listener => void listeners.push(listener),
  }
}
