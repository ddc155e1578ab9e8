import type { Call, Implementation, Revision, Traits } from '../call.ts'
import { codes } from '../jsonrpc/errors.ts'
import type { Kind } from '../jsonrpc/errors.ts'
import { isObject } from '../jsonrpc/message.ts'
import type { Params, Result } from '../jsonrpc/message.ts'

/** Rewrites a result or params into another spelling; members it does not know stay. */
export type Rewrite = (value: Record<string, unknown>) => Record<string, unknown>
type Rewrites = Readonly<Record<string, Rewrite>>

/** Rewrites by method, for each thing that travels. */
interface Spelling {
  /** Results of requests. */
  readonly results: Rewrites
  /** Params of what a server sends: notifications and questions. */
  readonly messages: Rewrites
  /** Params of what a client sends. */
  readonly requests: Rewrites
  /** A client's answers to questions. */
  readonly answers: Rewrites
}

/** Begins to use a server: `connect` of the revision that it is given. */
export type Open = (revision: Revision, ...args: Parameters<Revision['connect']>) => ReturnType<Revision['connect']>

/** What every result of a revision carries: put on, and taken off again. */
export interface Stamp {
  put(result: Result, call: Pick<Call, 'method' | 'descriptor'>, server: Implementation): Result
  takeOff(result: Result): Result
}

/** How revisions differ: what the older one lacks or has in addition, and how it spells the rest. */
export interface Difference {
  readonly era?: Revision['era']
  readonly serve?: Revision['serve']
  readonly open?: Open
  readonly stamp?: Stamp
  /** Methods, questions and capabilities it does not have. */
  readonly without?: readonly string[]
  /** Methods it has in addition. */
  readonly with?: readonly string[]
  /** Capabilities it has in addition, for an extension to fill. */
  readonly capabilities?: readonly string[]
  readonly traits?: Partial<Traits>
  readonly codes?: Readonly<Partial<Record<Kind, number>>>
  readonly resultKinds?: readonly Kind[]
  /** From the newer spelling to the older. */
  readonly write?: Partial<Spelling>
  /** From the older spelling to the newer. */
  readonly read?: Partial<Spelling>
}

/** A revision by its date, and how it differs from the one published after it. */
export interface Described extends Difference {
  readonly version: string
  /** How every earlier revision differs from this one: what this one brought. */
  readonly earlier?: Difference
}

/** A revision that others can be described from. */
export interface Chained extends Revision {
  /** The one published after it; undefined for the neutral model. */
  readonly next: Chained | undefined
  readonly earlier: Difference | undefined
  readonly open: Open
  readonly stamp: Stamp
  readonly write: Spelling
  readonly read: Spelling
}

/** What the chain of revisions starts from: the model that handlers see. */
export type Model = Pick<Revision, 'era' | 'serve' | 'traits'> & {
  readonly methods: readonly string[]
  readonly questions: readonly string[]
  readonly open: Open
  readonly stamp: Stamp
}

const UNCHANGED: Spelling = { results: {}, messages: {}, requests: {}, answers: {} }

/** The model as the end of the chain that no revision comes after. */
export const model = ({ methods, questions, ...rest }: Model): Chained =>
  revision({
    ...rest,
    version: '',
    next: undefined,
    earlier: undefined,
    methods: new Set(methods),
    questions: new Set(questions),
    capabilities: new Set(),
    codes: {},
    resultKinds: new Set(),
    write: UNCHANGED,
    read: UNCHANGED,
  })

/** A revision described by how it differs from the one published after it. */
export function before(next: Chained, { version, earlier, ...own }: Described): Chained {
  const base = next.earlier ? changed(next, next.earlier) : next
  return revision({ ...changed(base, own), version, next, earlier })
}

type Verbs = Pick<
  Revision,
  'encode' | 'writeMessage' | 'readAnswer' | 'writeRequest' | 'readResult' | 'readMessage' | 'writeAnswer' | 'kindOf'
>
type Facts = Omit<Chained, keyof Verbs | 'connect'>

function revision(facts: Facts): Chained {
  const own: Chained = { ...facts, ...verbs(facts), connect: (...args) => facts.open(own, ...args) }
  return own
}

function changed(next: Facts, own: Difference): Facts {
  const gone = new Set(own.without)
  const left = (names: ReadonlySet<string>): string[] => [...names].filter(name => !gone.has(name))
  return {
    ...next,
    era: own.era ?? next.era,
    serve: own.serve ?? next.serve,
    open: own.open ?? next.open,
    stamp: own.stamp ?? next.stamp,
    methods: new Set([...left(next.methods), ...(own.with ?? [])]),
    questions: new Set(left(next.questions)),
    capabilities: new Set([...left(next.capabilities), ...(own.capabilities ?? [])]),
    traits: { ...next.traits, ...own.traits },
    codes: { ...next.codes, ...own.codes },
    resultKinds: new Set([...next.resultKinds, ...(own.resultKinds ?? [])]),
    write: chain(next.write, own.write, (newer, older) => value => older(newer(value))),
    read: chain(next.read, own.read, (newer, older) => value => newer(older(value))),
  }
}

function verbs({ write, read, stamp, codes: own }: Facts): Verbs {
  const kinds = new Map(Object.entries(own).map(([kind, code]) => [code, kind]))
  const usual = new Set<number | undefined>(Object.values(codes))
  return {
    encode: (result, call, server) =>
      stamp.put(apply(write.results, call.method, questions(result, write.messages)), call, server),
    readResult: (method, result) => questions(apply(read.results, method, stamp.takeOff(result)), read.messages),
    writeMessage: (method, params): Params => apply(write.messages, method, params),
    readMessage: (method, params): Params => apply(read.messages, method, params),
    writeRequest: (method, params): Params => apply(write.requests, method, params),
    writeAnswer: (method, answer) => apply(write.answers, method, answer),
    readAnswer: (method, answer) => apply(read.answers, method, answer),
    // A code that the newest revision uses for something else, too, says nothing by itself.
    kindOf: code => (usual.has(code) ? undefined : kinds.get(code)),
  }
}

/** Questions that are a result are spelled like those that are sent. */
function questions(result: Result, changes: Rewrites): Result {
  if (result.resultType !== 'input_required' || !isObject(result.inputRequests)) return result
  const asks = Object.entries(result.inputRequests).map(([key, ask]) => {
    if (!isObject(ask) || typeof ask.method !== 'string' || !isObject(ask.params)) return [key, ask]
    const params = apply(changes, ask.method, ask.params)
    return [key, params === ask.params ? ask : { ...ask, params }]
  })
  return { ...result, inputRequests: Object.fromEntries(asks) }
}

function apply(changes: Rewrites, method: string, value: Record<string, unknown>): Record<string, unknown> {
  const change = changes[method]
  return change ? change(value) : value
}

type Fold = (newer: Rewrite, older: Rewrite) => Rewrite

/** Both revisions' changes, folded once, when the revision is made. */
function chain(newer: Spelling, own: Partial<Spelling> = {}, fold: Fold): Spelling {
  return {
    results: chainOf(newer.results, own.results, fold),
    messages: chainOf(newer.messages, own.messages, fold),
    requests: chainOf(newer.requests, own.requests, fold),
    answers: chainOf(newer.answers, own.answers, fold),
  }
}

function chainOf(newer: Rewrites, own: Rewrites = {}, fold: Fold): Rewrites {
  const folded: Record<string, Rewrite> = Object.assign(Object.create(null), newer)
  for (const [method, change] of Object.entries(own)) {
    const earlier = newer[method]
    folded[method] = earlier ? fold(earlier, change) : change
  }
  return folded
}
