import type { Icon } from '../call.ts'

/** The audience of a block, and how important it is. */
export interface Annotations {
  readonly audience?: readonly ('user' | 'assistant')[]
  readonly priority?: number
  readonly lastModified?: string
}

interface Block {
  readonly annotations?: Annotations
  readonly _meta?: Readonly<Record<string, unknown>>
}

/** Text. */
export interface TextContent extends Block {
  readonly type: 'text'
  readonly text: string
}
/** A picture, base64. */
export interface ImageContent extends Block {
  readonly type: 'image'
  readonly data: string
  readonly mimeType: string
}
/** Sound, base64. */
export interface AudioContent extends Block {
  readonly type: 'audio'
  readonly data: string
  readonly mimeType: string
}
/** A resource, in the answer itself. */
export interface EmbeddedResource extends Block {
  readonly type: 'resource'
  readonly resource: ResourceContents
}
/** A resource, to be read by its URI. */
export interface ResourceLink extends Block {
  readonly type: 'resource_link'
  readonly uri: string
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly mimeType?: string
  readonly size?: number
  readonly icons?: readonly Icon[]
}
/** One block of an answer. */
export type Content = TextContent | ImageContent | AudioContent | EmbeddedResource | ResourceLink

/** What is behind a URI: text, or base64. */
export type ResourceContents = {
  readonly uri: string
  readonly mimeType?: string
  readonly _meta?: Record<string, unknown>
} & ({ readonly text: string } | { readonly blob: string })

/** A tool's answer, spelled out. */
export interface ToolResult {
  readonly content: readonly Content[]
  readonly structuredContent?: unknown
  readonly isError?: boolean
  readonly _meta?: Readonly<Record<string, unknown>>
}

/** One message of a prompt. */
export interface PromptMessage {
  readonly role: 'user' | 'assistant'
  readonly content: Content
}

/** What a prompt answers, spelled out. */
export interface PromptResult {
  readonly description?: string
  readonly messages: readonly (PromptMessage | Content)[]
}

/** A block of text. */
export const text = (content: string): TextContent => ({ type: 'text', text: content })

const TYPES: ReadonlySet<unknown> = new Set(['text', 'image', 'audio', 'resource', 'resource_link'])

/** Is the value a spelled-out answer rather than plain data? */
export function isToolResult(value: unknown): value is ToolResult {
  if (typeof value !== 'object' || value === null || !('content' in value)) return false
  const { content } = value
  return Array.isArray(content) && content.every(isContent)
}

/** What members a block of each type must have as strings. */
const STRINGS: Readonly<Record<string, readonly string[]>> = {
  text: ['text'],
  image: ['data', 'mimeType'],
  audio: ['data', 'mimeType'],
  resource_link: ['uri', 'name'],
}

/** Refuse blocks that clients could not read, naming the first and what it needs. */
export function checkBlocks(blocks: readonly Content[], where: string): void {
  for (let i = 0; i < blocks.length; i++) {
    const block = blocks[i] as unknown as Readonly<Record<string, unknown>>
    const type = block.type as string
    const missing = STRINGS[type]?.find(name => typeof block[name] !== 'string')
    if (missing !== undefined) throw new TypeError(`${where}: block ${i} of type '${type}' needs a string '${missing}'`)
    if (type === 'resource' && !isContents(block.resource)) {
      throw new TypeError(`${where}: block ${i} of type 'resource' needs a 'resource' with 'uri' and 'text' or 'blob'`)
    }
  }
}

/** Is the value what is behind a URI? */
export function isContents(value: unknown): value is ResourceContents {
  if (typeof value !== 'object' || value === null) return false
  const { uri, text, blob } = value as Readonly<Record<string, unknown>>
  return typeof uri === 'string' && (typeof text === 'string' || typeof blob === 'string')
}

/** Is the value a block of an answer? */
export const isContent = (value: unknown): value is Content =>
  typeof value === 'object' && value !== null && 'type' in value && TYPES.has(value.type)

/** A request to the client's model. */
export interface SampleParams {
  readonly messages: readonly { readonly role: 'user' | 'assistant'; readonly content: unknown }[]
  readonly maxTokens: number
  readonly systemPrompt?: string
  readonly modelPreferences?: Readonly<Record<string, unknown>>
  readonly includeContext?: 'none' | 'thisServer' | 'allServers'
  readonly temperature?: number
  readonly stopSequences?: readonly string[]
  readonly metadata?: Readonly<Record<string, unknown>>
  readonly tools?: readonly unknown[]
  readonly toolChoice?: Readonly<Record<string, unknown>>
}

/** What the client's model said. */
export interface SampleResult {
  readonly role: 'user' | 'assistant'
  readonly content: Content | readonly Content[]
  readonly model: string
  readonly stopReason?: string
}
