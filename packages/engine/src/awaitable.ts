import type { Awaitable } from './call.ts'

/** Go on with a value now, or with a promise's value later: a value that is there already does not wait. */
export const after = <T, U>(value: Awaitable<T>, next: (value: T) => Awaitable<U>): Awaitable<U> =>
  value instanceof Promise ? value.then(next) : next(value)

/** All the values, at once if none has to be waited for. */
export const all = <T>(values: readonly Awaitable<T>[]): Awaitable<readonly T[]> =>
  values.some(value => value instanceof Promise) ? Promise.all(values) : (values as readonly T[])

/** What a function of others returns: a promise of another kind becomes one of ours, so that it is not taken for a value. */
export const adopt = <T>(value: Awaitable<T>): Awaitable<T> =>
  value instanceof Promise || !isThenable(value) ? value : Promise.resolve(value)

const isThenable = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'

/** Clients deal with messages that arrive together in no certain order, so an answer waits until what precedes it has left. */
export const nextTurn = <T>(answer: T): Promise<T> => new Promise(resolve => void setImmediate(resolve, answer))
