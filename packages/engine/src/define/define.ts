import type { Awaitable, Icon, Policy, StreamDirection, StreamInfo, StreamSummary } from '../call.ts'
import type { Annotations, Content, PromptMessage, PromptResult, ResourceContents, ToolResult } from './content.ts'
import type { Context } from './context.ts'
import { checkDefinition, checkStream } from './definition.ts'
import type { In, Out, Schema } from '../schema/schema.ts'

interface Named {
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly icons?: readonly Icon[]
  readonly _meta?: Readonly<Record<string, unknown>>
  /**
   * How long clients of the newest revision may keep it: the list that shows a tool, a prompt, or the contents of a
   * resource. The scope is `private`, unless what it shows is the same for everyone.
   */
  readonly cache?: CacheOptions
}

/** How long something may be kept, and whether it may be shared. Default: private. */
export interface CacheOptions {
  readonly ttlMs: number
  readonly scope?: 'public' | 'private'
}

/** Whether a tool may, or must, run as a task. */
export type TaskSupport = 'never' | 'optional' | 'required'

/** The definition of a tool, without its handler. */
export interface ToolSpec<I, O> extends Named {
  readonly input?: I & Schema
  readonly output?: O & Schema
  /** Does not change anything. */
  readonly readOnly?: boolean
  /** May destroy something. */
  readonly destructive?: boolean
  /** Doing it twice changes nothing more. */
  readonly idempotent?: boolean
  /** Touches things outside this machine. */
  readonly openWorld?: boolean
  /**
   * May it run as a task, whose client does not have to wait? `required`: only as one. Default: never.
   */
  readonly task?: TaskSupport
  /** Other names it answers to, which are not listed. */
  readonly aliases?: readonly string[]
  /** Words that people use for what it does, for `find_tools`; they are searched, and not listed. */
  readonly keywords?: string
  /** The view that hosts show beside its results, as `view()` made it, or the URI of one. */
  readonly view?: AppView | string
  /** Who can call it: the model, views of this server, or both. Default: both. */
  readonly visibility?: readonly ('model' | 'app')[]
  /** Policies for this tool alone, inside the server's. */
  readonly use?: readonly Policy[]
}

/** Something a model can call. */
export interface Tool extends ToolSpec<Schema, Schema> {
  readonly kind: 'tool'
  /** It streams bytes, in that direction. */
  readonly stream?: StreamDirection
  /** How the stream that it sends is announced. */
  readonly sends?: StreamInfo
  run(input: never, ctx: Context, incoming?: AsyncIterable<Uint8Array>): unknown
}

/** What a tool without an output schema may return: text, plain data, or an answer spelled out. */
export type AnyToolOutput = string | ToolResult | object | number | boolean | null | void

/** What a tool gets: what its input schema makes of the arguments; without one, nothing. */
export type ToolInput<I> = [I] extends [Schema] ? Out<I> : Record<string, never>

/** What a tool may return: what its output schema describes, alone or spelled out; without one, anything. */
export type ToolOutput<O> = [O] extends [never]
  ? AnyToolOutput // While the compiler does not know the schema yet, there seems to be none.
  : [O] extends [Schema]
    ? Unchanging<In<O>> | (ToolResult & { structuredContent?: Unchanging<In<O>> })
    : AnyToolOutput

/** A value that is only read, so lists in it may be constants. */
type Unchanging<T> = T extends object ? { readonly [K in keyof T]: Unchanging<T[K]> } : T

/**
 * Define a tool: what it is called, what it takes and gives, and how it runs. The type of its result is a parameter, so that
 * texts in it keep their literal types.
 */
export function tool<
  const I extends Schema | undefined = undefined,
  const O extends Schema | undefined = undefined,
  const R extends ToolOutput<O> = ToolOutput<O>,
>(spec: ToolSpec<I, O>, run: (input: ToolInput<NoInfer<I>>, ctx: Context) => Awaitable<R>): Tool {
  checkDefinition('tool', spec, run)
  return { ...spec, kind: 'tool', run } as unknown as Tool
}

/** The definition of a tool that streams, without its handler. */
export interface StreamToolSpec<I, D extends StreamDirection> extends Omit<ToolSpec<I, undefined>, 'output' | 'task'> {
  /** Which way the bytes go: to the tool, from it, or both. */
  readonly stream: D
  /** How the stream that it sends is announced. Default: its name, as bytes. */
  readonly sends?: StreamInfo
}

/** What a tool that streams both ways says at the end of either stream. */
export interface DuplexSummary {
  readonly sent?: StreamSummary
  readonly received?: StreamSummary
}

/** What a tool that streams returns: a summary, or the bytes it sends; a generator returns its summary at the end. */
export type StreamReply<D extends StreamDirection> = D extends 'in'
  ? Awaitable<StreamSummary | void>
  : AsyncIterable<Uint8Array, (D extends 'out' ? StreamSummary : DuplexSummary) | void | undefined, undefined>

/** Define a tool that takes or returns a stream of bytes. It cannot ask the client, since a stream is read only once. */
export function streamTool<const D extends StreamDirection, const I extends Schema | undefined = undefined>(
  spec: StreamToolSpec<I, D>,
  run: (input: ToolInput<NoInfer<I>>, ctx: Context, incoming: AsyncIterable<Uint8Array>) => StreamReply<NoInfer<D>>,
): Tool {
  const { stream, sends, ...rest } = spec
  checkDefinition('tool', rest, run)
  checkStream(rest.name, stream)
  return { ...rest, stream, ...(sends && { sends }), kind: 'tool', run } as unknown as Tool
}

/** What a client can learn of a resource without reading it. */
export interface ResourceSpec extends Named {
  readonly uri: string
  readonly mimeType?: string
  readonly size?: number
  readonly annotations?: Annotations
}

/** What a reader may return: text, bytes, or contents spelled out. */
export type Reading = string | Uint8Array | ResourceContents | readonly ResourceContents[]

/** Something a client can read by its URI. */
export interface Resource extends ResourceSpec {
  readonly kind: 'resource'
  /** It is a view, for clients that show them. */
  readonly forApps?: true
  read(ctx: Context): Awaitable<Reading>
}

/** A page that hosts show beside the result of a tool: a resource for clients that show views, and for no others. */
export interface AppView extends Resource {
  readonly forApps: true
}

/** Define a resource. */
export function resource(spec: ResourceSpec, read: Resource['read']): Resource {
  checkDefinition('resource', spec, read)
  return { ...spec, kind: 'resource', read }
}

/** Proposes values: a list to pick from, or a function of what was typed so far. */
export type Completer =
  | readonly string[]
  | ((typed: string, others: Readonly<Record<string, string>>) => Awaitable<readonly string[]>)

/** What a client can learn of a family of resources. */
export interface TemplateSpec<T extends string = string> extends Named {
  /** RFC 6570, such as `plan://{year}/{name}`. */
  readonly uriTemplate: T
  readonly mimeType?: string
  readonly annotations?: Annotations
  /** Also answers for URIs of this scheme that do not follow the template, so that it can say what is wrong with them. */
  readonly scheme?: string
  /** By variable: what to propose. */
  readonly complete?: Readonly<Record<string, Completer>>
}

type Letters<N extends string> = N extends `${infer Name}:${string}` | `${infer Name}*` ? Name : N
type Split<L extends string> = L extends `${infer First},${infer Rest}` ? Letters<First> | Split<Rest> : Letters<L>
type Expressions<T extends string> = T extends `${string}{${infer E}}${infer Rest}` ? E | Expressions<Rest> : never
// What stands behind these signs may be left out of a URI.
type Optional<E extends string> = E extends `${'#' | '.' | '/' | ';' | '?' | '&'}${infer L}` ? Split<L> : never
type Present<E extends string> = E extends `${'#' | '.' | '/' | ';' | '?' | '&'}${string}`
  ? never
  : E extends `+${infer L}`
    ? Split<L>
    : Split<E>

/** The variables of a URI template, as its reader gets them. */
export type Variables<T extends string> = string extends T
  ? Readonly<Record<string, string>>
  : { readonly [N in Present<Expressions<T>>]: string } & {
      readonly [N in Exclude<Optional<Expressions<T>>, Present<Expressions<T>>>]?: string
    }

/** A family of resources whose URIs follow a template. */
export interface Template extends TemplateSpec {
  readonly kind: 'template'
  /** Undefined means that there is no such resource. */
  read(variables: Readonly<Record<string, string>>, ctx: Context): Awaitable<Reading | undefined>
}

/** Define a family of resources. */
export function template<const T extends string>(
  spec: TemplateSpec<T>,
  read: (variables: Variables<NoInfer<T>>, ctx: Context) => Awaitable<Reading | undefined>,
): Template {
  checkDefinition('template', spec, read)
  return { ...spec, kind: 'template', read } as unknown as Template
}

/** One blank of a prompt. */
export interface PromptArgument {
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly required?: boolean
  readonly complete?: Completer
}

/** The definition of a prompt, without its text. */
export interface PromptSpec<A extends readonly PromptArgument[]> extends Named {
  readonly arguments?: A
}

/** What a prompt may return: text of the user, blocks, or messages, alone or spelled out. */
export type Script = string | Content | readonly (PromptMessage | Content)[] | PromptResult

/** Words a user can pick. */
export interface Prompt extends PromptSpec<readonly PromptArgument[]> {
  readonly kind: 'prompt'
  get(args: never, ctx: Context): Awaitable<Script>
}

type Filled<A extends readonly PromptArgument[]> = {
  readonly [K in A[number] as K['name']]: K extends { readonly required: true } ? string : string | undefined
}

/** Define a prompt. */
export function prompt<const A extends readonly PromptArgument[], const R extends Script = Script>(
  spec: PromptSpec<A>,
  get: (args: Filled<NoInfer<A>>, ctx: Context) => Awaitable<R>,
): Prompt {
  checkDefinition('prompt', spec, get)
  return { ...spec, kind: 'prompt', get }
}

/** Anything a server can offer. */
export type Feature = Tool | Resource | Template | Prompt

/** Features that belong together. */
export interface Pack {
  readonly name: string
  /** What a model should know before it uses them. */
  readonly instructions?: string
  readonly features: readonly Feature[]
  /** Policies around every use of the pack's features, inside the server's. */
  readonly use?: readonly Policy[]
}
