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

/** Work on several keys at once, always in the same order, so that two that want the same do not wait for each other. */
export function inAllTurns<T>(inTurn: InTurn, keys: readonly string[], work: () => Promise<T>): Promise<T> {
  const [first, ...rest] = [...new Set(keys)].sort()
  return first === undefined ? work() : inTurn(first, () => inAllTurns(inTurn, rest, work))
}
