import type { Call } from '../call.ts'
import { redact, redactText, shortId } from '../secrets/redact.ts'
import type { Annotated } from '../secrets/redact.ts'
import { repairsOf } from '../results/repairs.ts'
import type { Repair } from '../schema/repair.ts'
import type { CallObserver } from './observe.ts'

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
  /** The beginning of the id of the task that it ran as, if it did. */
  readonly task?: string
  readonly arguments: unknown
  /** Which arguments were taken for what they were meant to be, if any were. */
  readonly repaired?: readonly Repair[]
  /** Who approved it, where a person was asked. */
  readonly approvedBy?: string
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

/** Writes one entry per tool call, whatever becomes of it; `observe` shows it the calls. */
export function audit(write: (entry: AuditEntry) => void, { schemaOf }: AuditOptions = {}): CallObserver {
  // Looked up before the call, since the tool may be gone after it.
  const schemas = new Map<Call, Annotated>()
  const lookUp = (call: Call): void => {
    const { name } = call.params
    if (call.method === 'tools/call' && typeof name === 'string') schemas.set(call, schemaOf?.(name))
  }
  return {
    ...(schemaOf && { onStart: lookUp }),
    onEnd(call, { outcome, durationMs }) {
      if (call.method !== 'tools/call') return
      const schema = schemas.get(call)
      schemas.delete(call)
      write(auditEntry(call, schema, outcome, durationMs))
    },
  }
}

/** What is written of a call that ended so; the schema is that of its tool, from before the call. */
export function auditEntry(call: Call, schema: Annotated, outcome: string, ms: number): AuditEntry {
  const { id, caller, link, params, through, task } = call
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
    ...(task && { task: shortId(task.id) }),
    arguments: redact(params.arguments ?? {}, schema),
    ...(repaired && { repaired: redact(repaired) as readonly Repair[] }),
    ...(call.cancellation.approvedBy !== undefined && {
      approvedBy: redactText(call.cancellation.approvedBy, LONGEST_NAME),
    }),
    outcome,
    durationMs: Math.round(ms * 1000) / 1000,
  }
}
