import type { Statement } from './statement.ts'

/** How far a conversation has come: nothing was said, `initialize` was answered, or the handshake is complete. */
export type Stage = 'new' | 'initialized' | 'ready'

/** Where a row is played: every door as raw messages, and the official clients of either era, one of them peculiar. */
export type Place =
  | 'stdio'
  | '/mcp'
  | '/mcp stateless'
  | '/rpc'
  | 'POST /sse'
  | '/ws'
  | 'GET /sse'
  | 'clients with a session'
  | 'clients without a session'
  | 'client 2 over Streamable HTTP, legacy'

/** What is otherwise in one place; without an answer the row cannot be said there at all. */
export interface Exception {
  readonly why: string
  readonly answer?: object | 'silence'
}

/** Places where something is otherwise. */
export type Exceptions = Readonly<Partial<Record<Place, Exception>>>

/** One example or one error of a document: what is said, and the answer it must have in every place. */
export interface Row {
  readonly title: string
  /** Default: what the document calls usual. */
  readonly at?: Stage
  /** A text is sent as it is. */
  readonly say: object | string
  readonly answer: object | 'silence'
  /** What the server stands on is broken. */
  readonly broken?: boolean
  /** Nothing can follow it in the same conversation. */
  readonly last?: boolean
  /** The line it leaves on stderr, in every place where the request's id is ours to choose. */
  readonly log?: string
  readonly but?: Exceptions
}

/** A document as its statements and rows, and how to serve what it describes. */
export interface Document {
  readonly name: string
  readonly statements: readonly Statement[]
  /** Where its rows are played: the transports it names. Default: everywhere, with the official clients too. */
  readonly places?: readonly Place[]
  readonly rows: readonly Row[]
  /** What is said to come to a stage. */
  readonly stages: Readonly<Record<Stage, readonly object[]>>
  readonly usual: Stage
  /** The arguments of `node` that serve it, whole or broken. */
  command(isBroken: boolean): readonly string[]
}

type Id = string | number | null

/** An answer that went well. */
export const answered = (id: Id, result: object): object => ({ jsonrpc: '2.0', id, result })

/** An answer that did not; without an id where none could be read. */
export const failed = (id: Id | undefined, error: object): object => ({
  jsonrpc: '2.0',
  ...(id !== undefined && { id }),
  error,
})

/** What is otherwise for someone who goes by several names, the first that is spoken of. */
export const exceptionFor = ({ but = {} }: Row, ...names: readonly string[]): Exception | undefined =>
  names.map(name => but[name as Place]).find(exception => exception !== undefined)

/** The same exception in several places. */
export const inAll = (places: readonly Place[], exception: Exception): Exceptions =>
  Object.fromEntries(places.map(place => [place, exception]))

/** Doors that take one message at a time and remember nothing. */
export const plainPlaces: readonly Place[] = ['/rpc', 'POST /sse']

/** What no official client can say or hear. */
export const unlikeClients = (why: string): Exceptions =>
  inAll(['clients with a session', 'clients without a session'], { why })

/** It would have to send what is no message. */
export const noMessage: Exceptions = unlikeClients('A client sends well-formed messages only')

/** It would have to notice that nothing came. */
export const noAnswer: Exceptions = unlikeClients('A client is not told that nothing came')

/** What cannot be read is refused under no id; in some places under null. */
export const unread = (error: object, nulls: readonly Place[] = plainPlaces): { answer: object; but: Exceptions } => ({
  answer: failed(undefined, error),
  but: {
    ...inAll(nulls, { why: 'JSON-RPC 2.0 itself and the oldest revisions write null', answer: failed(null, error) }),
    ...noMessage,
  },
})

/** In the revision without sessions there is nothing to initialize. */
export const noHandshake = (id: Id, data?: string): Exception => ({
  why: 'The revision without sessions has no handshake',
  answer: failed(id, { code: -32601, message: 'Method not found: initialize', ...(data !== undefined && { data }) }),
})
