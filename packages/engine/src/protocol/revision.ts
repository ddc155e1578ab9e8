import type { Call, Implementation, Revision, Traits } from '../call.ts'
import type { Kind } from '../jsonrpc/errors.ts'
import type { Params, Result } from '../jsonrpc/message.ts'

/** Changes a result or params into an older spelling. */
export type Change = (value: Record<string, unknown>) => Record<string, unknown>
type Changes = Readonly<Record<string, Change>>

interface Newest {
  readonly version: string
  readonly methods: readonly string[]
  readonly questions: readonly string[]
  readonly traits: Traits
  readonly stamp: (result: Result, call: Call, server: Implementation) => Result
  readonly serve: Revision['serve']
}

interface Older {
  readonly version: string
  readonly era?: 'stateful'
  readonly serve?: Revision['serve']
  readonly without?: readonly string[]
  readonly with?: readonly string[]
  readonly traits?: Partial<Traits>
  readonly codes?: Readonly<Partial<Record<Kind, number>>>
  /** By method: how its result was spelled then. */
  readonly results?: Changes
  /** By method: how what we send was spelled then. */
  readonly messages?: Changes
}

/** A revision that others can be described from. */
export interface Chained extends Revision {
  readonly results: Changes
  readonly messages: Changes
}

/** The newest revision: the neutral model, plus what its results must carry. */
export function newest(spec: Newest): Chained {
  return {
    version: spec.version,
    era: 'stateless',
    methods: new Set(spec.methods),
    questions: new Set(spec.questions),
    traits: spec.traits,
    codes: {},
    results: {},
    messages: {},
    serve: spec.serve,
    encode: spec.stamp,
    spell: (_method, params) => params,
  }
}

/** A revision described by how it differs from the one published after it. */
export function before(next: Chained, older: Older): Chained {
  const results = chain(next.results, older.results)
  const messages = chain(next.messages, older.messages)
  const gone = new Set(older.without)
  const left = (names: ReadonlySet<string>): string[] => [...names].filter(name => !gone.has(name))
  return {
    version: older.version,
    era: older.era ?? next.era,
    methods: new Set([...left(next.methods), ...(older.with ?? [])]),
    questions: new Set(left(next.questions)),
    traits: { ...next.traits, ...older.traits },
    codes: { ...next.codes, ...older.codes },
    results,
    messages,
    serve: older.serve ?? next.serve,
    encode: (result, call) => apply(results, call.method, result),
    spell: (method, params): Params => apply(messages, method, params),
  }
}

function apply(changes: Changes, method: string, value: Record<string, unknown>): Record<string, unknown> {
  const change = changes[method]
  return change ? change(value) : value
}

/** Newer changes first, then the older revision's own; folded once, when the revision is made. */
function chain(newer: Changes, own: Changes = {}): Changes {
  const folded: Record<string, Change> = Object.assign(Object.create(null), newer)
  for (const [method, change] of Object.entries(own)) {
    const earlier = newer[method]
    folded[method] = earlier ? value => change(earlier(value)) : change
  }
  return folded
}
