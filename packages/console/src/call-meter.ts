import { ShortLivedMap, redactText } from '@causeway/engine/internal'
import { auditEntry } from '@causeway/engine/policies'
import type { Call } from '@causeway/engine'
import type { AuditEntry, AuditOptions, CallEnd, CallObserver } from '@causeway/engine/policies'
import type { CallRecord } from './operator-records.ts'

type Annotated = ReturnType<NonNullable<AuditOptions['schemaOf']>>

// Redacting arguments costs more than a small call: above such rates they are not kept, and while no page is open only counts.
const DETAILED_PER_SECOND = { watched: 200, unwatched: 20 }
const RECORDED_PER_SECOND = 200
const MOST_CHARACTERS = 2000
const MOST_DURATIONS = 1000
const MOST_NAMES = 1000
const GOOD: ReadonlySet<string> = new Set(['ok', 'asked', 'cancelled'])

/** What calls came to since it was last asked. */
export interface Tally {
  readonly calls: number
  readonly errors: number
  readonly p50: number
  readonly p95: number
  readonly running: number
}

/** What a meter needs to know. */
export interface MeterOptions {
  readonly schemaOf: NonNullable<AuditOptions['schemaOf']>
  /** Is a page open that shows calls? */
  readonly isWatched: () => boolean
}

/** Watches tool calls: each one for the log, all of them for the charts. */
export class CallMeter implements CallObserver {
  readonly #write: (record: CallRecord) => void
  readonly #options: MeterOptions
  #ids = 0
  #running = 0
  #started = 0
  /** The schemas of the tools whose calls are written with their arguments, from before each call. */
  readonly #detailed = new ShortLivedMap<Call, { readonly schema: Annotated }>()
  #calls = 0
  #errors = 0
  #durations: number[] = []

  constructor(write: (record: CallRecord) => void, options: MeterOptions) {
    this.#write = write
    this.#options = options
  }

  onStart(call: Call): void {
    if (call.method !== 'tools/call') return
    const most = this.#options.isWatched() ? DETAILED_PER_SECOND.watched : DETAILED_PER_SECOND.unwatched
    if (this.#started++ < most) this.#detailed.set(call, { schema: this.#schemaOf(call) })
  }

  onWait({ method }: Call): void {
    if (method === 'tools/call') this.#running += 1
  }

  onEnd(call: Call, { outcome, durationMs, waited }: CallEnd): void {
    if (call.method !== 'tools/call') return
    if (waited) this.#running -= 1
    if (!GOOD.has(outcome)) this.#errors += 1
    if (this.#durations.length < MOST_DURATIONS) this.#durations.push(durationMs)
    const detailed = this.#detailed.size > 0 ? this.#detailed.get(call) : undefined
    const nth = this.#calls++
    if (detailed) {
      this.#detailed.delete(call)
      const entry = auditEntry(call, detailed.schema, outcome, durationMs)
      this.#write({ id: ++this.#ids, ...recordOf(entry) })
    } else if (nth < RECORDED_PER_SECOND || this.#options.isWatched())
      this.#write({ id: ++this.#ids, ...plainRecord(call, outcome, durationMs) })
  }

  /** Counts since the last time; they start again at zero. */
  take(): Tally {
    const sorted = this.#durations.sort((a, b) => a - b)
    const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? 0
    const tally = { calls: this.#calls, errors: this.#errors, p50: at(0.5), p95: at(0.95), running: this.#running }
    this.#calls = this.#errors = this.#started = 0
    this.#durations = []
    return tally
  }

  #schemaOf({ params: { name } }: Call): Annotated {
    return typeof name === 'string' ? this.#options.schemaOf(name) : undefined
  }
}

const known = new Map<string, string>()

/** Names come again and again, and looking for secrets costs more than a small call. */
function redacted(name: string): string {
  const found = known.get(name)
  if (found !== undefined) return found
  const shown = redactText(name, 200)
  if (name.length > 500) return shown
  if (known.size >= MOST_NAMES) known.clear()
  known.set(name, shown)
  return shown
}

/** Kept as long as the log is, so they must not be large. */
function small(value: unknown): unknown {
  const { length } = JSON.stringify(value) ?? ''
  return length > MOST_CHARACTERS ? undefined : value
}

const recordOf = (entry: AuditEntry): Omit<CallRecord, 'id'> => ({
  time: entry.time,
  principal: entry.principal,
  client: entry.client,
  transport: entry.transport,
  revision: entry.revision,
  tool: String(entry.tool),
  arguments: small(entry.arguments),
  outcome: entry.outcome,
  durationMs: entry.durationMs,
})

const plainRecord = ({ caller, link, params }: Call, outcome: string, ms: number): Omit<CallRecord, 'id'> => ({
  time: new Date().toISOString(),
  principal: caller.principal?.name ?? null,
  client: caller.client ? redacted(`${caller.client.name}/${caller.client.version}`) : null,
  transport: link.transport,
  revision: caller.revision.version,
  tool: redacted(String(params.name)),
  outcome,
  durationMs: Math.round(ms * 1000) / 1000,
})
