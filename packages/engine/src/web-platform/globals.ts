// Globals of Node that the engine uses, for runtimes without them.
import { Buffer } from 'buffer/'

const from = Buffer.from
const toString = Buffer.prototype.toString

// It reads both alphabets of base64, and writes one.
Object.assign(Buffer, {
  from: (value: never, encoding?: never, length?: never) =>
    from(value, encoding === 'base64url' ? ('base64' as never) : encoding, length),
})
Buffer.prototype.toString = function (this: Buffer, encoding?: string, start?: number, end?: number): string {
  if (encoding !== 'base64url') return toString.call(this, encoding as 'utf8', start, end)
  return toString.call(this, 'base64', start, end).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
}

export { Buffer }

const queue: (() => void)[] = []

function runNext(): void {
  queue.shift()?.()
}

/** Runs a task in a turn of its own. */
export function setImmediate<A extends readonly unknown[]>(task: (...args: A) => void, ...args: A): void {
  queue.push(() => task(...args))
  setTimeout(runNext, 0)
}

/** Where a process writes its log. */
export const process: {
  readonly env: Readonly<Record<string, string>>
  readonly stderr: { on(): void; write(line: string): void }
} = {
  env: {},
  stderr: {
    on: () => {},
    // oxlint-disable-next-line no-console -- there is nothing else to write to
    write: (line: string) => console.error(line.replace(/\n$/, '')),
  },
}
