// Programs fail with all they printed; who wants less says so in the tool.
const LONGEST = 1_000_000

/** The message for a model about something a tool threw; undefined for what looks like a mistake in the tool's own code. */
export function toolFailure(thrown: unknown): string | undefined {
  if (typeof thrown === 'string') return cut(thrown)
  if (!(thrown instanceof Error) || isMistake(thrown)) return undefined
  return cut(withCause(thrown))
}

// Thrown by the language itself when code goes wrong, but also by its library when data does.
const LANGUAGE_ERRORS = [TypeError, ReferenceError, RangeError, EvalError]
const DATA_CODES: ReadonlySet<unknown> = new Set([
  'ERR_INVALID_URL',
  'ERR_INVALID_FILE_URL_PATH',
  'ERR_INVALID_IP_ADDRESS',
])

/**
 * Not the class decides: `fetch` fails with a TypeError, too. What the language throws at wrong code has no cause, no
 * code of ours to read and no system call behind it. SyntaxError and URIError are about text that was read, such as JSON.
 */
function isMistake(error: Error): boolean {
  if (!LANGUAGE_ERRORS.some(kind => error instanceof kind)) return false
  const { cause, code, syscall } = error as Error & { code?: unknown; syscall?: unknown }
  return !(cause instanceof Error || DATA_CODES.has(code) || typeof syscall === 'string')
}

/** `fetch failed` says nothing: what it was caused by does. */
function withCause({ message, cause }: Error): string {
  if (message !== 'fetch failed' || !(cause instanceof Error)) return message
  const { code } = cause as Error & { code?: unknown }
  const why = cause.message === '' && typeof code === 'string' ? code : cause.message
  return why === '' ? message : `${message}: ${why}`
}

const cut = (words: string): string => (words.length > LONGEST ? `${words.slice(0, LONGEST)}…` : words)
