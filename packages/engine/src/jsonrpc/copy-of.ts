/**
 * A copy with the same own members. Not by spread, which takes V8 up to five times as long where the object was not made
 * by a literal of the same shape; a member called `__proto__` stays one.
 */
export const copyOf = <T extends object>(value: T): T =>
  Object.hasOwn(value, '__proto__') ? { ...value } : Object.assign({}, value)
