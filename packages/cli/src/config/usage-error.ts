/** A command line, a configuration or a name that cannot be used; the process ends with `exit`. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
  readonly exit: number
  constructor(message: string, exit = 2) {
    super(message)
    this.exit = exit
  }
}

/** The parts that are there, as one line. */
export const sentence = (...parts: readonly (string | undefined)[]): string =>
  parts.filter(part => part !== undefined).join(' ')
