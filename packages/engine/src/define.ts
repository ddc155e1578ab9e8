import type { Awaitable, Icon, Policy } from './call.ts'
import type { Annotations, Content, PromptMessage, ResourceContents, ToolResult } from './content.ts'
import type { Context } from './context.ts'
import type { In, Out, Schema } from './schema/schema.ts'

interface Named {
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly icons?: readonly Icon[]
  readonly _meta?: Readonly<Record<string, unknown>>
}

/** What a tool is, besides what it does. */
export interface ToolSpec<I, O> extends Named {
  readonly input?: I
  readonly output?: O
  /** Does not change anything. */
  readonly readOnly?: boolean
  /** May destroy something. */
  readonly destructive?: boolean
  /** Doing it twice changes nothing more. */
  readonly idempotent?: boolean
  /** Touches things outside this machine. */
  readonly openWorld?: boolean
  /** Other names it answers to, which are not listed. */
  readonly aliases?: readonly string[]
  /** Policies for this tool alone, inside the server's. */
  readonly use?: readonly Policy[]
}

/** Something a model can call. */
export interface Tool extends ToolSpec<Schema, Schema> {
  readonly kind: 'tool'
  run(input: never, ctx: Context): unknown
}

/** What a tool without an output schema may return: words, plain data, or an answer spelled out. */
export type Reply = string | ToolResult | object | number | boolean | null | void

/** Define a tool: what it is called, what it takes and gives, and how it runs. */
export function tool<const I extends Schema, const O extends Schema>(
  spec: ToolSpec<I, O> & { readonly input: I; readonly output: O },
  run: (input: Out<I>, ctx: Context) => Awaitable<In<O> | (ToolResult & { structuredContent?: In<O> })>,
): Tool
/** Define a tool that takes arguments and returns anything. */
export function tool<const I extends Schema>(
  spec: ToolSpec<I, never> & { readonly input: I },
  run: (input: Out<I>, ctx: Context) => Awaitable<Reply>,
): Tool
/** Define a tool without arguments. */
export function tool<const O extends Schema>(
  spec: ToolSpec<never, O> & { readonly output: O },
  run: (input: Record<string, never>, ctx: Context) => Awaitable<In<O> | (ToolResult & { structuredContent?: In<O> })>,
): Tool
/** Define a tool that takes nothing and returns anything. */
export function tool(
  spec: ToolSpec<never, never>,
  run: (input: Record<string, never>, ctx: Context) => Awaitable<Reply>,
): Tool
export function tool(spec: ToolSpec<Schema, Schema>, run: Tool['run']): Tool {
  return { ...spec, kind: 'tool', run }
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
  read(ctx: Context): Awaitable<Reading>
}

/** Define a resource. */
export function resource(spec: ResourceSpec, read: Resource['read']): Resource {
  return { ...spec, kind: 'resource', read }
}

/** Proposes values: a list to pick from, or a function of what was typed so far. */
export type Completer =
  | readonly string[]
  | ((typed: string, others: Readonly<Record<string, string>>) => Awaitable<readonly string[]>)

/** What a client can learn of a family of resources. */
export interface TemplateSpec extends Named {
  /** RFC 6570, such as `plan://{year}/{name}`. */
  readonly uriTemplate: string
  readonly mimeType?: string
  readonly annotations?: Annotations
  /** Also answers for URIs of this scheme that do not follow the template, so that it can say what is wrong with them. */
  readonly scheme?: string
  /** By variable: what to propose. */
  readonly complete?: Readonly<Record<string, Completer>>
}

/** A family of resources whose URIs follow a template. */
export interface Template extends TemplateSpec {
  readonly kind: 'template'
  /** Undefined means that there is no such resource. */
  read(variables: Readonly<Record<string, string>>, ctx: Context): Awaitable<Reading | undefined>
}

/** Define a family of resources. */
export function template(spec: TemplateSpec, read: Template['read']): Template {
  return { ...spec, kind: 'template', read }
}

/** One blank of a prompt. */
export interface PromptArgument {
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly required?: boolean
  readonly complete?: Completer
}

/** What a prompt is, besides its words. */
export interface PromptSpec<A extends readonly PromptArgument[]> extends Named {
  readonly arguments?: A
}

/** What a prompt may return: words of the user, blocks, or messages. */
export type Script = string | Content | readonly (PromptMessage | Content)[]

/** Words a user can pick. */
export interface Prompt extends PromptSpec<readonly PromptArgument[]> {
  readonly kind: 'prompt'
  get(args: never, ctx: Context): Awaitable<Script>
}

type Filled<A extends readonly PromptArgument[]> = {
  readonly [K in A[number] as K['name']]: K extends { readonly required: true } ? string : string | undefined
}

/** Define a prompt. */
export function prompt<const A extends readonly PromptArgument[]>(
  spec: PromptSpec<A>,
  get: (args: Filled<A>, ctx: Context) => Awaitable<Script>,
): Prompt {
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
