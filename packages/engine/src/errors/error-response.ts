import type { Call, Implementation, Link } from '../call.ts'
import { text } from '../define/content.ts'
import { dataOf, detailOf, isResult, messageOf, spell, titled } from './dialect.ts'
import type { Dialect } from './dialect.ts'
import { RpcError, codes, fault } from '../jsonrpc/errors.ts'
import type { Kind } from '../jsonrpc/errors.ts'
import { failure, isObject, success } from '../jsonrpc/message.ts'
import type { Failure, Id, Request, Response, Result } from '../jsonrpc/message.ts'
import type { Log } from '../log/log.ts'
import { ERROR_META } from '../protocol/keys.ts'
import { revisionOf } from '../protocol/session.ts'
import { withRepairs } from '../results/repairs.ts'
import { traceIdOf } from '../tracing/trace-context.ts'
import { toolFailure } from './tool-errors.ts'

interface Failed {
  readonly request: Request
  readonly call: Call | undefined
  readonly link: Link
  readonly server: { readonly dialect: Dialect; readonly log: Log; readonly identity: Implementation }
}

/** The answer to a request that failed: in the server's dialect, a protocol error or a result the model reads. */
export function failed(error: unknown, failed: Failed): Response {
  const { request, call, server } = failed
  const end = endOf(error, failed)
  if ('result' in end)
    return success(request.id, call ? call.caller.revision.encode(end.result, call, server.identity) : end.result)
  return new FailedRequest(request.id, end.error, end.error.kind)
}

/** What a request comes to that failed, before it is encoded: a result that the model reads, or an error in the server's dialect. */
export function endOf(
  error: unknown,
  { request, call, link, server }: Failed,
): { readonly result: Result } | { readonly error: RpcError } {
  const known = asRpcError(error, request, server.log, call)
  const { dialect, log } = server
  log('debug', 'request failed', {
    request: request.id,
    ...traced(call),
    method: request.method,
    kind: known.kind,
    problem: known.message,
    ...linked(known.kind),
  })
  const revision = call?.caller.revision ?? revisionOf(link.session)
  const hasNoCode = known.kind !== undefined && revision.resultKinds.has(known.kind)
  if (call && isReadByModel(call) && (hasNoCode || isResult(dialect, known.kind))) {
    const _meta = { [ERROR_META]: { kind: known.kind, data: known.data } }
    const result = { content: [text(messageOf(known, dialect, true))], isError: true, ...(hasNoCode && { _meta }) }
    return { result: withRepairs(call, result) }
  }
  const { code, message } = spell(known, dialect, known.kind === undefined ? undefined : revision.codes[known.kind])
  const { kind } = known
  return { error: new RpcError(code, message, dataOf(known, dialect, message), kind === undefined ? {} : { kind }) }
}

const isReadByModel = ({ method, direct }: Call): boolean => method === 'tools/call' && !direct

/** A failure that knows its kind. JSON has no member for it, since a getter is not written. */
class FailedRequest implements Failure {
  readonly jsonrpc = '2.0'
  readonly id: Id
  readonly error: Failure['error']
  readonly #kind: Kind | undefined

  constructor(id: Id, { code, message, data }: RpcError, kind: Kind | undefined) {
    this.id = id
    this.error = data === undefined ? { code, message } : { code, message, data }
    this.#kind = kind
  }

  get kind(): Kind | undefined {
    return this.#kind
  }
}

/** The kind of error that an answer of ours tells, whatever code it has in the server's dialect. */
export const kindOf = (response: Response): Kind | undefined =>
  response instanceof FailedRequest ? response.kind : undefined

/** Where the catalogue of errors has meaning, cause and remedy of a kind; packs have kinds of their own. */
const linked = (kind: Kind | undefined): { see?: string } =>
  kind !== undefined && Object.hasOwn(codes, kind) ? { see: `docs/errors.md#${kind}` } : {}

/** The trace that a line of the log belongs to. */
function traced(call: Call | undefined): { trace?: string } {
  const trace = call && traceIdOf(call)
  return trace === undefined ? {} : { trace }
}

/** What a tool says went wrong is shown; a mistake in our code or its own is logged under a reference that the peer is given. */
function asRpcError(error: unknown, request: Request, log: Log, call: Call | undefined): RpcError {
  if (error instanceof RpcError) return error
  const isTool = call?.method === 'tools/call'
  const shown = isTool ? toolFailure(error) : undefined
  if (shown !== undefined) return fault('tool-failed', shown, undefined, { cause: error })
  const reference = crypto.randomUUID().slice(0, 8)
  log('error', 'internal error', {
    reference,
    request: request.id,
    ...traced(call),
    method: request.method,
    error,
    ...linked('internal'),
  })
  return fault(
    isTool ? 'tool-failed' : 'internal',
    `Internal error (reference ${reference})`,
    { reference },
    { cause: error },
  )
}

/** A direct call's answer is the tool's own value; a failed one is an error. */
export function bareValue(result: Result): unknown {
  const { structuredContent, content, isError } = result
  const blocks = Array.isArray(content) ? content : []
  const only: unknown = blocks.length === 1 ? blocks[0] : undefined
  const onlyText = isObject(only) && only.type === 'text' ? only.text : undefined
  if (isError === true) throw fault('tool-failed', typeof onlyText === 'string' ? onlyText : 'The tool failed')
  if (structuredContent !== undefined) return structuredContent
  return onlyText ?? result
}

/** Something that is no message, with the id to answer under if there was one to read. */
interface Unread {
  readonly id: Id | undefined
  readonly error: RpcError
  /** Does it describe itself, as messages of the stateless era do? */
  readonly enveloped?: boolean
}

/** The answer to something that is no message; only older revisions have an id for that. */
export function unreadable(
  { id, error, enveloped = false }: Unread,
  { session }: Link,
  { dialect, log }: Pick<Failed['server'], 'dialect' | 'log'>,
): Failure {
  log('debug', 'unreadable message', {
    request: id,
    kind: error.kind,
    problem: error.message,
    ...linked(error.kind),
  })
  const isNamed = !enveloped && session?.caller?.revision.traits.nullId !== false
  return failure(id ?? (isNamed ? null : undefined), inDialect(error, dialect))
}

// The code of what HTTP itself refuses, where there is no better one.
const REFUSED = -32000

/** An error that answers no method, in this dialect. */
export function inDialect(error: RpcError, dialect: Dialect): RpcError {
  const { code, message } = spell(error, dialect, undefined)
  return new RpcError(code, message, error.data ?? detailOf(message, dialect))
}

/** The words and the data of what HTTP itself refuses, in this dialect. */
export function spellRefusal(code: number, message: string, dialect: Dialect): { message: string; data: unknown } {
  const words = refusalWords(code, message, dialect)
  return { message: words, data: detailOf(words, dialect) }
}

function refusalWords(code: number, message: string, dialect: Dialect): string {
  if (code === codes['invalid-request']) return spell(fault('invalid-request', message), dialect, undefined).message
  return code === REFUSED && dialect.refusals !== undefined ? titled(dialect.refusals, message) : message
}
