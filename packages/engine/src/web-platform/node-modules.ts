// What the engine uses of node:events, node:net, node:os and node:timers/promises, for runtimes without them.

/** Only Node counts the listeners of a signal. */
export function setMaxListeners(): void {}

/** 4 or 6 for the text of an address, otherwise 0. */
export function isIP(text: string): 0 | 4 | 6 {
  if (/^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/.test(text)) return 4
  if (!/^[\da-f:.]{2,45}$/i.test(text) || !text.includes(':')) return 0
  return URL.canParse(`http://[${text}]/`) ? 6 : 0
}

/** A runtime in which there are no names of machines. */
export const hostname = (): string => 'localhost'

const later = globalThis.setTimeout

export { delay as setTimeout }

/** Resolves after so many milliseconds. */
function delay<T>(ms: number, value?: T): Promise<T | undefined> {
  return new Promise(resolve => void later(resolve, ms, value))
}
