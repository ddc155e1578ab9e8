import type { Awaitable } from './call.ts'

/** Go on with a value now, or with a promise's value later: what is there already waits for nobody. */
export const after = <T, U>(value: Awaitable<T>, next: (value: T) => Awaitable<U>): Awaitable<U> =>
  value instanceof Promise ? value.then(next) : next(value)
