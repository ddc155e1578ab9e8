/** What went wrong, by name. A revision and a dialect decide how it is spelled on the wire; packs may add their own. */
export type Kind = keyof typeof codes | (string & {})

/** The protocol's own code for each kind. */
export const codes = {
  parse: -32700,
  'invalid-request': -32600,
  'method-not-found': -32601,
  'invalid-params': -32602,
  'invalid-envelope': -32602,
  internal: -32603,
  'not-initialised': -32600,
  'already-initialised': -32600,
  'shutting-down': -32600,
  'unknown-tool': -32602,
  'unknown-prompt': -32602,
  'invalid-arguments': -32602,
  'tool-failed': -32603,
  timeout: -32000,
  'result-too-large': -32603,
  'resource-not-found': -32602,
  'rate-limited': -32003,
  busy: -32004,
  'insufficient-scope': -32005,
  'not-allowed': -32006,
  'header-mismatch': -32020,
  'missing-capability': -32021,
  'unsupported-version': -32022,
} as const

/** What an error may carry in addition to its code, message and data. */
export interface ErrorOptions {
  readonly kind?: Kind
  /** A suggestion: appended to the text of an `isError` result, put into `data.hint` of a protocol error. */
  readonly hint?: string
  /** The name it is about, for dialects that word it themselves. */
  readonly subject?: string
  readonly cause?: unknown
}

/** An error meant for the peer: thrown on purpose, its message is shown. */
export class RpcError extends Error {
  override readonly name = 'RpcError'
  readonly code: number
  readonly data: unknown
  readonly kind: Kind | undefined
  readonly hint: string | undefined
  readonly subject: string | undefined

  constructor(code: number, message: string, data?: unknown, options: ErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.data = data
    this.kind = options.kind
    this.hint = options.hint
    this.subject = options.subject
  }
}

/** An error of a known kind, with the protocol's code for it. */
export function fault(kind: Kind, message: string, data?: unknown, options: Omit<ErrorOptions, 'kind'> = {}): RpcError {
  const code = Object.hasOwn(codes, kind) ? codes[kind as keyof typeof codes] : codes['tool-failed']
  return new RpcError(code, message, data, { ...options, kind })
}
