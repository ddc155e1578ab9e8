import type { Awaitable, Call, Policy } from '../call.ts'
import type { Result } from '../jsonrpc/message.ts'
import { redact, redactText, shortId } from '../secrets/redact.ts'
import type { Annotated } from '../secrets/redact.ts'
import { repairsOf } from '../results/repairs.ts'
import type { Repair } from '../schema/repair.ts'
import { outcomeOf, outcomeOfError } from './observe.ts'
import { only } from './policy.ts'

/** What is written of one tool call: who, what, and what became of it. */
export interface AuditEntry {
  readonly time: string
  readonly principal: string | null
  readonly client: string | null
  /** The beginning of its id, since the whole of it opens the session. */
  readonly session: string | null
  readonly transport: string
  readonly revision: string
  readonly request: string | number
  readonly tool: unknown
  /** The tool that the client called to have it called, if it did. */
  readonly through?: string
  readonly arguments: unknown
  /** Which arguments were taken for what they were meant to be, if any were. */
  readonly repaired?: readonly Repair[]
  /** `ok`, `asked`, `failed` (an error result), `cancelled`, or the kind of error. */
  readonly outcome: string
  readonly durationMs: number
}

/** What can be chosen about the audit. */
export interface AuditOptions {
  /** The input schema of a tool, whose `x-audit` annotations say how arguments are shown: omit, mask or head. */
  readonly schemaOf?: (tool: string) => Annotated
}

const LONGEST_NAME = 200

/** Write one entry per tool call, whatever becomes of it. */
export const audit = (write: (entry: AuditEntry) => void, { schemaOf }: AuditOptions = {}): Policy =>
  only(['tools/call'], function audit(call, next) {
    const start = performance.now()
    const { name } = call.params
    // Before the call, since the tool may be gone after it.
    const schema = typeof name === 'string' ? schemaOf?.(name) : undefined
    const end = (outcome: string): void => write(auditEntry(call, schema, outcome, performance.now() - start))
    const done = (result: Result): Result => {
      end(outcomeOf(result))
      return result
    }
    const fail = (error: unknown): never => {
      end(outcomeOfError(call, error))
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

/** What is written of a call that ended so; the schema is that of its tool, from before the call. */
export function auditEntry(call: Call, schema: Annotated, outcome: string, ms: number): AuditEntry {
  const { id, caller, link, params, through } = call
  const repaired = repairsOf(call)
  return {
    time: new Date().toISOString(),
    principal: caller.principal?.name ?? null,
    client: caller.client ? redactText(`${caller.client.name}/${caller.client.version}`, LONGEST_NAME) : null,
    session: link.session ? shortId(link.session.id) : null,
    transport: link.transport,
    revision: caller.revision.version,
    request: typeof id === 'string' ? redactText(id, LONGEST_NAME) : id,
    tool: typeof params.name === 'string' ? redactText(params.name, LONGEST_NAME) : redact(params.name),
    ...(through !== undefined && { through }),
    arguments: redact(params.arguments ?? {}, schema),
    ...(repaired && { repaired: redact(repaired) as readonly Repair[] }),
    outcome,
    durationMs: Math.round(ms * 1000) / 1000,
  }
}
