// Globals of Node that the engine uses, for runtimes without them.
export { Buffer } from 'buffer/'

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
export const process = {
  env: {},
  stderr: {
    on: () => {},
    write: (line: string) => console.error(line.replace(/\n$/, '')),
  },
}
