import type { Call } from '../call.ts'
import { redact, redactText, shortId } from '../secrets/redact.ts'
import type { Annotated } from '../secrets/redact.ts'
import { repairsOf } from '../results/repairs.ts'
import type { Repair } from '../schema/repair.ts'
import { traceIdOf } from '../tracing/trace-context.ts'
import type { CallObserver } from './observe.ts'

/** What is written of one call: who, what, and what became of it. */
export interface AuditEntry {
  readonly time: string
  readonly principal: string | null
  readonly client: string | null
  /** The beginning of its id, since the whole of it opens the session. */
  readonly session: string | null
  readonly transport: string
  readonly revision: string
  readonly request: string | number
  readonly method: string
  /** Of a call of a tool, as the prompt and the resource below are of theirs. */
  readonly tool?: unknown
  readonly prompt?: unknown
  readonly resource?: unknown
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
  /** The trace that it belongs to, if its caller named one or calls are traced. */
  readonly trace?: string
}

/** What can be chosen about the audit. */
export interface AuditOptions {
  /** The input schema of a tool, whose `x-audit` annotations say how arguments are shown: omit, mask or head. */
  readonly schemaOf?: (tool: string) => Annotated
}

const LONGEST_NAME = 200
const TARGETS: Readonly<Record<string, 'tool' | 'prompt' | 'resource'>> = {
  'tools/call': 'tool',
  'prompts/get': 'prompt',
  'resources/read': 'resource',
}
// How a call of any method ends that was refused because of who sent it, or how often.
const REFUSED: ReadonlySet<string> = new Set(['not-allowed', 'not-approved', 'insufficient-scope', 'rate-limited'])

/**
 * Writes one entry per call of a tool, read of a resource and use of a prompt, whatever becomes of it, per session that a
 * principal opens, and per refusal; `observe` shows it the calls.
 */
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
      if (!isWritten(call, outcome)) return
      const schema = schemas.get(call)
      schemas.delete(call)
      write(auditEntry(call, schema, outcome, durationMs))
    },
  }
}

const isWritten = ({ method, link }: Call, outcome: string): boolean =>
  TARGETS[method] !== undefined || REFUSED.has(outcome) || (method === 'initialize' && link.principal !== undefined)

/** What is written of a call that ended so; the schema is that of its tool, from before the call. */
export function auditEntry(call: Call, schema: Annotated, outcome: string, ms: number): AuditEntry {
  const { id, method, caller, link, params, through, task } = call
  const repaired = repairsOf(call)
  const trace = traceIdOf(call)
  return {
    time: new Date().toISOString(),
    principal: (caller.principal ?? link.principal)?.name ?? null,
    client: clientOf(call),
    session: link.session ? shortId(link.session.id) : null,
    transport: link.transport,
    revision: caller.revision.version,
    request: typeof id === 'string' ? redactText(id, LONGEST_NAME) : id,
    method,
    ...targetOf(call),
    ...(through !== undefined && { through }),
    ...(task && { task: shortId(task.id) }),
    arguments: redact(params.arguments ?? {}, schema),
    ...(repaired && { repaired: redact(repaired) as readonly Repair[] }),
    ...(call.cancellation.approvedBy !== undefined && {
      approvedBy: redactText(call.cancellation.approvedBy, LONGEST_NAME),
    }),
    outcome,
    durationMs: Math.round(ms * 1000) / 1000,
    ...(trace !== undefined && { trace }),
  }
}

const clientOf = ({ caller: { client } }: Call): string | null =>
  client ? redactText(`${client.name}/${client.version}`, LONGEST_NAME) : null

function targetOf({ method, params }: Call): Pick<AuditEntry, 'tool' | 'prompt' | 'resource'> {
  const kind = TARGETS[method]
  if (kind === undefined) return {}
  const target = kind === 'resource' ? params.uri : params.name
  return { [kind]: typeof target === 'string' ? redactText(target, LONGEST_NAME) : redact(target) }
}
