/** Keeps a timer from keeping a Node process alive; where timers are numbers, as in a browser, nothing needs to be done. */
export function unref<T>(timer: T): T {
  if (typeof timer === 'object' && timer !== null && 'unref' in timer && typeof timer.unref === 'function')
    timer.unref()
  return timer
}
