/** Work on the same key, one after the other. */
export type InTurn = <T>(key: string, work: () => Promise<T>) => Promise<T>

/** Lets work on the same key wait for the work before it. */
export function turns(): InTurn {
  const last = new Map<string, Promise<unknown>>()
  return (key, work) => {
    const before = last.get(key) ?? Promise.resolve()
    const mine = before.then(work, work)
    const settled = mine.then(
      () => {},
      () => {},
    )
    last.set(key, settled)
    void settled.then(() => {
      if (last.get(key) === settled) last.delete(key)
    })
    return mine
  }
}
