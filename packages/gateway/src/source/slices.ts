const SLICE_MS = 10

/** Do something with each item, in slices of some milliseconds: other work of the process runs in between. */
export async function inSlices<T>(items: Iterable<T>, work: (item: T) => void): Promise<void> {
  let until = performance.now() + SLICE_MS
  for (const item of items) {
    work(item)
    if (performance.now() < until) continue
    await new Promise(resolve => setImmediate(resolve))
    until = performance.now() + SLICE_MS
  }
}
