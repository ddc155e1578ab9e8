import type { Awaitable, Call, Policy } from '../call.ts'
import { RpcError } from '../jsonrpc/errors.ts'
import type { Result } from '../jsonrpc/message.ts'
import { redact } from '../redact.ts'
import { only } from './policy.ts'

/** What is written of one tool call: who, what, and what became of it. */
export interface AuditEntry {
  readonly time: string
  readonly principal: string | null
  readonly client: string | null
  readonly session: string | null
  readonly transport: string
  readonly revision: string
  readonly request: string | number
  readonly tool: unknown
  readonly arguments: unknown
  /** `ok`, `asked`, `failed` (an error result), `cancelled`, or the kind of error. */
  readonly outcome: string
  readonly durationMs: number
}

/** Write one entry per tool call, whatever becomes of it. */
export const audit = (write: (entry: AuditEntry) => void): Policy =>
  only(['tools/call'], function audit(call, next) {
    const start = performance.now()
    const end = (outcome: string): void => write(entryOf(call, outcome, performance.now() - start))
    const done = (result: Result): Result => {
      end(outcomeOf(result))
      return result
    }
    const fail = (error: unknown): never => {
      end(call.cancellation.cancelled && !(error instanceof RpcError) ? 'cancelled' : kindOf(error))
      throw error
    }
    let result: Awaitable<Result>
    try {
      result = next(call)
    } catch (error) {
      return fail(error)
    }
    return result instanceof Promise ? result.then(done, fail) : done(result)
  })

function entryOf({ id, caller, link, params }: Call, outcome: string, ms: number): AuditEntry {
  return {
    time: new Date().toISOString(),
    principal: caller.principal?.name ?? null,
    client: caller.client ? `${caller.client.name}/${caller.client.version}` : null,
    session: link.session?.id ?? null,
    transport: link.transport,
    revision: caller.revision.version,
    request: id,
    tool: params.name,
    arguments: redact(params.arguments ?? {}),
    outcome,
    durationMs: Math.round(ms * 1000) / 1000,
  }
}

const outcomeOf = ({ resultType, isError }: Result): string =>
  resultType === 'input_required' ? 'asked' : isError === true ? 'failed' : 'ok'
const kindOf = (error: unknown): string =>
  error instanceof RpcError ? (error.kind ?? String(error.code)) : 'tool-failed'
