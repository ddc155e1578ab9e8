import type { Principal } from './auth/principal.ts'
import type { Calls } from './jsonrpc/calls.ts'
import type { Cancellation } from './jsonrpc/cancellation.ts'
import type { Kind } from './jsonrpc/errors.ts'
import type { Id, Message, Params, Result } from './jsonrpc/message.ts'
import type { Peer } from './jsonrpc/peer.ts'
import type { Introduction, Remote } from './client/remote.ts'
import type { ClientTransport } from './client/transports/transport.ts'
import type { Grant } from './rights/grant.ts'
import type { Implementation, LogLevel } from './wire.ts'

export type { Ask, Icon, Implementation, LogLevel } from './wire.ts'

/** A value, or a promise of one: what finishes at once costs no promise. */
export type Awaitable<T> = T | Promise<T>

/** A named part of what a server offers. */
export interface View {
  readonly name: string
  /** What a model should know before it uses that part. */
  readonly instructions?: string | undefined
  /** Is a feature part of it? By the name of a tool or prompt, the URI of a resource, the URI template of a family. */
  offers(kind: 'tools' | 'prompts' | 'resources' | 'templates', key: string): boolean
}

/** Who is asking, and in which revision; read from the session or from `_meta`, never stored on the server. */
export interface Caller {
  readonly revision: Revision
  readonly client: Implementation | undefined
  readonly capabilities: Readonly<Record<string, unknown>>
  /** Who was authenticated, if anyone. */
  readonly principal?: Principal | undefined
  /** Can tools that stream bytes be used over the connection? */
  readonly streams?: boolean
  /** The part of the server that was asked, if not all of it. */
  readonly view?: View | undefined
  /** What the caller may use, if that is restricted. */
  readonly rights?: Grant | undefined
}

/** Where a connection stands in the handshake of the stateful era. */
export type SessionState = 'new' | 'initialising' | 'ready' | 'shutting-down' | 'closed'

/** What of a session can be written down, so that another process can go on with it: plain JSON. */
export interface SessionRecord {
  readonly id: string
  readonly state: SessionState
  /** The revision agreed on, once it is. */
  readonly version: string | undefined
  readonly client: Implementation | undefined
  readonly capabilities: Readonly<Record<string, unknown>>
  /** The name of the only one who may use it; undefined without authentication. */
  readonly principal?: string | undefined
  /** The name of the part of the server it was opened with; undefined for all of it. */
  readonly view?: string | undefined
  readonly logLevel: LogLevel
  readonly subscriptions: readonly string[]
  /** The number of the last change before it began, where several processes share their changes. */
  readonly since?: number
}

/** URIs whose changes a client wants to hear of; `add` refuses one too many. */
export interface SubscribedUris extends Iterable<string> {
  readonly size: number
  has(uri: string): boolean
  add(uri: string): void
  delete(uri: string): void
}

/** One client's standing conversation, in the stateful era: its record, and the live ends. */
export interface Session {
  readonly id: string
  state: SessionState
  caller: Caller | undefined
  logLevel: LogLevel
  /** The client, as someone to ask. */
  readonly peer: Peer
  readonly subscriptions: SubscribedUris
  /** Aborts when the conversation is over. */
  readonly signal: AbortSignal
  /** Aborts the signal. */
  abort(): void
  /** Takes over what another process wrote down of it. */
  refresh(record: SessionRecord): void
  /** Sends what belongs to no request; `number` is that of the change it tells of. */
  send(message: Message, number?: number): void
}

/** The transport's end of one conversation. */
export interface Link {
  readonly transport: string
  readonly session: Session | undefined
  /** Who was authenticated, if anyone. */
  readonly principal?: Principal | undefined
  /** Where the client is, if that is known. */
  readonly address?: string | undefined
  /** The part of the server that is asked, if not all of it. */
  readonly view?: View | undefined
  /** Requests being served, by id. */
  readonly calls: Calls
  /** Refuse what comes before the handshake is complete. */
  readonly strict: boolean
  /** Let a tool's name be called as a method. */
  readonly direct: boolean
  /** Answer a request whose id is null, as plain JSON-RPC does. */
  readonly plainIds?: boolean
  /** The HTTP headers a self-describing request came with, which repeat what it says. */
  readonly headers?: MirrorHeaders | undefined
  /** Aborts when nothing new is taken any more; answers may still go out. */
  readonly signal: AbortSignal
  /** Can tools that stream bytes be started over it? */
  readonly streams?: boolean
  /** The bytes of the call being served, where it was started as a stream. */
  readonly stream?: ByteStream
  /** Called with the scopes that a call needs and has, when it may run: before, nothing of an answer is sent. It may wait for others. */
  readonly begin?: (scopes: readonly string[]) => Awaitable<void>
  /** The `traceparent` of the HTTP request it came in, if it had one. */
  readonly traceparent?: string | undefined
  /** Let go of the connection where the client can fetch the answer later. */
  readonly detach?: () => void
  /** Sends what belongs to the request being served: progress, log messages, questions. */
  send(message: Message): void
}

/** Which way the bytes of a tool go, as the tool sees it. */
export type StreamDirection = 'in' | 'out' | 'duplex'

/** What a stream of the server's says of itself when it is opened. */
export interface StreamInfo {
  readonly method: string
  readonly name?: string
  readonly mime?: string
}

/** What is said at the end of a stream. */
export type StreamSummary = Readonly<Record<string, unknown>>

/** The bytes of one call. */
export interface ByteStream {
  readonly incoming: AsyncIterable<Uint8Array>
  /** The tool was found and may run. */
  begin(): void
  /** Opens the stream to the client. */
  open(info: StreamInfo): ByteSink
  /** What is said at the end of the client's own stream. */
  finish(summary: StreamSummary): void
}

/** A stream to the client: each write waits until the connection has taken the bytes. */
export interface ByteSink {
  write(bytes: Uint8Array): Promise<void>
  end(summary: StreamSummary): void
}

/** Headers that repeat parts of a request, for proxies that route by them. */
export interface MirrorHeaders {
  /** Must they be there, or only not contradict the request? */
  readonly required: boolean
  /** Looks a header up by its lower-case name. */
  get(name: string): string | undefined
}

/** A call that runs as a task, as its handler sees it. */
export interface TaskReport {
  readonly id: string
  /** Did the client ask for a task? Otherwise it may still get the result as it waits. */
  readonly isAskedFor: boolean
  /** What it is doing now. */
  report(message: string | undefined): void
}

/** One request in neutral terms. */
export interface Call {
  readonly id: Id
  readonly method: string
  /** What the server knows of the method. */
  readonly descriptor: Method
  readonly params: Params
  readonly meta: Readonly<Record<string, unknown>>
  readonly caller: Caller
  readonly link: Link
  readonly cancellation: Cancellation
  /** What the client answered so far, by question. */
  readonly answers: Readonly<Record<string, unknown>>
  /** Tells the client that what it was asked to do at an address is done, by the key of the question, if its revision has that. */
  readonly completed?: (key: string) => void
  /**
   * The `requestState` of the result that asked last, if it had one: it travels sealed inside the server's own. A result
   * that keeps its own state this way finds in `answers` only what its last questions were answered.
   */
  readonly carried?: unknown
  /** The least level of log messages this request wants to see, if any. */
  readonly logLevel: LogLevel | undefined
  /** The scopes that it needs, and that its caller has; undefined if it needs none. */
  readonly scopes?: readonly string[]
  /** The task that it runs as, if it does: its client does not wait for it. */
  readonly task?: TaskReport | undefined
  /** The tool that the client called to have this one called, if it did. */
  readonly through?: string
  /** Called by the tool's own name, so the bare value is the answer. */
  readonly direct: boolean
}

/** A notification that a client sent, for an extension. */
export interface ClientNotification {
  readonly method: string
  readonly params: Params
  readonly caller: Caller
  readonly link: Link
}

/** Runs a call. */
export type Handle = (call: Call) => Awaitable<Result>

/** Stands around a handler: limits, logs, refuses or passes on. */
export type Policy = (call: Call, next: Handle) => Awaitable<Result>

/** All there is to know of one method of the protocol or of an extension. */
export interface Method {
  readonly name: string
  readonly run: Handle
  /** Is there anything behind it at the moment? Default: always. */
  readonly offered?: () => boolean
  /** Does the work of a feature, so that limits on calls count it. */
  readonly work?: boolean
  /** The parameter that the header `Mcp-Name` repeats. */
  readonly mirror?: string
  /** Clients may keep its result. */
  readonly cacheable?: boolean
  /** Its result may ask the client for input. */
  readonly asks?: boolean
  /** Clients ask again and again while they wait: limits on rates do not count it. */
  readonly polled?: boolean
  /** The extension it belongs to: clients that declare it can call it, and those in whose revision the method is core. */
  readonly extension?: string
}

/** The few questions a transport has about a revision. */
export interface Traits {
  /** Arrays of messages are understood. */
  readonly batch: boolean
  /** An error whose request id could not be read carries `id: null`; otherwise no id. */
  readonly nullId: boolean
  /** Event streams open with an empty event, so that they can be resumed from the start. */
  readonly primed: boolean
}

/** One published revision of the protocol: what it has, and how its spelling differs from our neutral model. */
export interface Revision {
  readonly version: string
  readonly era: 'stateful' | 'stateless'
  /** Requests its clients may send. */
  readonly methods: ReadonlySet<string>
  /** What its clients may be asked for, if they can: `elicitation`, `sampling.tools`, … */
  readonly questions: ReadonlySet<string>
  /** Capabilities of servers that an extension may fill, because later revisions moved them into one: `tasks`. */
  readonly capabilities: ReadonlySet<string>
  readonly traits: Traits
  /** Codes that differ from the protocol's newest. */
  readonly codes: Readonly<Partial<Record<Kind, number>>>
  /** Kinds of errors of a tool that its clients read as results, whatever the dialect. */
  readonly resultKinds: ReadonlySet<Kind>
  /** Runs a call the way its clients expect: asks go out live, or come back as the result. */
  serve(call: Call, run: Handle): Awaitable<Result>
  /**
   * Begins to use a server of this revision; `find` knows the others, since the server may choose one. What comes back
   * hides how its servers are spoken to.
   */
  connect(
    transport: ClientTransport,
    who: Introduction,
    find: (version: unknown) => Revision | undefined,
  ): Promise<Remote>
  /** As a server: a neutral result → what its clients expect. */
  encode(result: Result, call: Pick<Call, 'method' | 'descriptor'>, server: Implementation): Result
  /** As a server: neutral params of a notification or question we send → what its clients expect. */
  writeMessage(method: string, params: Params): Params
  /** As a server: what its clients answer to a question → neutral. */
  readAnswer(method: string, answer: Result): Result
  /** As a client: neutral params of a request → what its servers expect. */
  writeRequest(method: string, params: Params): Params
  /** As a client: a result of its servers → neutral. */
  readResult(method: string, result: Result): Result
  /** As a client: params of a notification or question its servers send → neutral. */
  readMessage(method: string, params: Params): Params
  /** As a client: a neutral answer to a question → what its servers expect. */
  writeAnswer(method: string, answer: Result): Result
  /** As a client: the kind of error its servers mean by a code, where the code alone says it. */
  kindOf(code: number): Kind | undefined
}
