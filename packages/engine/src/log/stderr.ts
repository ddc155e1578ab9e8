let isGuarded = false

/** From now on a stderr that is closed or full is no reason to end: what cannot be written there is lost. */
export function guardStderr(): void {
  if (isGuarded) return
  isGuarded = true
  process.stderr.on('error', () => {})
}
