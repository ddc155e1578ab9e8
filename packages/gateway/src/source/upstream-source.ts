import { createHash } from 'node:crypto'
import { cleanDefinition, fault, showInvisible, uriTemplate } from '@causeway/engine'
import type {
  Awaitable,
  Call,
  Entry,
  Handle,
  Info,
  Params,
  Result,
  Source,
  TemplateEntry,
  ToolEntry,
} from '@causeway/engine'
import { paramHeaders } from '@causeway/engine/client'
import type { ParamHeader } from '@causeway/engine/client'
import { isOffered } from '../config/read-servers.ts'
import type { UpstreamConfig } from '../config/upstream-config.ts'
import type { Lists } from './fetch-lists.ts'
import { LiveShelf } from './live-shelf.ts'
import { qualifiedName } from './qualified-names.ts'
import type { Passing } from '../upstream/outgoing-request.ts'

/** What a source asks of whoever looks after its server. */
export interface Keeper {
  forward(call: Call, passing: Passing): Awaitable<Result>
  /** Why a feature may not be used, if so. */
  heldBack(kind: 'tool' | 'prompt' | 'template', name: string): Error | undefined
  /** Why the operator does not offer a tool, by the name clients would use, if so. */
  leftOut(name: string, definition: Params): string | undefined
  /** Why nothing is known of the server, where that is so. */
  unknown(): Error | undefined
  /** Have the lists loaded, or wait for that; undefined where they are known. */
  loading(): Promise<void> | undefined
}

/** A server's features under the names the gateway gives them; what cannot be seen in definitions is shown. */
export class UpstreamSource implements Source {
  readonly name: string
  readonly tools: LiveShelf<ToolEntry>
  readonly prompts: LiveShelf<Entry>
  readonly resources: LiveShelf<Entry>
  readonly templates: LiveShelf<TemplateEntry>
  readonly #config: UpstreamConfig
  readonly #keeper: Keeper
  #instructions: string | undefined
  #seen = ''

  constructor(config: UpstreamConfig, keeper: Keeper) {
    this.#config = config
    this.#keeper = keeper
    this.name = config.name
    const { prefix } = config
    const soon = (): Promise<void> | undefined => keeper.loading()
    const isNamed = (key: string): boolean => prefix !== false && key.startsWith(`${prefix}__`)
    const mayHave = (key: string): boolean => prefix === false || isNamed(key)
    // A name without a prefix may be anybody's.
    const missing = (key: string): Error | undefined => (isNamed(key) ? keeper.unknown() : undefined)
    this.tools = new LiveShelf({ soon, mayHave, missing })
    this.prompts = new LiveShelf({ soon, mayHave, missing })
    this.resources = new LiveShelf({ soon, mayHave: () => true })
    this.templates = new LiveShelf({ soon, mayHave: () => true })
  }

  get instructions(): string | undefined {
    return this.#instructions
  }

  /** Completes arguments of prompts and templates, under the names the server has for them. */
  readonly complete: Handle = call => {
    const { ref } = call.params as { ref?: Params }
    const prompt = this.prompts.entries.find(({ key }) => key === ref?.name) as (Entry & Named) | undefined
    const own = prompt ? { ...ref, name: prompt.original } : ref
    return this.#keeper.forward(call, { params: { ...withoutMeta(call.params), ref: own }, repeatable: true })
  }

  /** Show what the server listed. */
  show(lists: Lists): void {
    const tools = lists.tools.filter(({ name }) => isOffered(this.#config, String(name))).map(tool => this.#tool(tool))
    const prompts = lists.prompts.map(prompt => this.#prompt(prompt))
    const { heldBack } = this.#keeper
    const templates = lists.templates.filter(({ uriTemplate: name }) => !heldBack('template', String(name)))
    const held = [...tools, ...prompts].map(entry => entry.held?.message ?? null)
    const text = JSON.stringify([lists.tools, lists.prompts, lists.resources, templates, held])
    // Lists may be long, and nobody looks at the last ones again.
    const seen = createHash('sha256').update(text).digest('base64')
    const isSame = seen === this.#seen
    this.#seen = seen
    this.#instructions = lists.instructions === undefined ? undefined : showInvisible(lists.instructions)
    split(this.tools, tools, isSame)
    split(this.prompts, prompts, isSame)
    this.resources.replace(
      lists.resources.map(info => this.#resource(info)),
      [],
      isSame,
    )
    this.templates.replace(
      templates.map(info => this.#template(info)),
      [],
      isSame,
    )
  }

  /** Reads a resource that the server does not list. */
  unlisted(uri: string): Entry {
    return { key: uri, info: { uri, name: uri }, run: this.#read }
  }

  #tool(definition: Params): ToolEntry & Named {
    const original = String(definition.name)
    const { rename, describe } = this.#config
    const renamed = rename[original]
    const key = this.#name(renamed ?? original)
    const description = describe[original]
    const info: Info = { ...cleanDefinition(definition), name: key, ...(description !== undefined && { description }) }
    const hints = (definition.annotations ?? {}) as Params
    const repeatable = hints.readOnlyHint === true || hints.idempotentHint === true
    const headers = headersOf(original, definition.inputSchema)
    const run: Handle = call => {
      const { arguments: args } = call.params
      const params: Params = args === undefined ? { name: original } : { name: original, arguments: args }
      return this.#keeper.forward(call, { params, repeatable, headers })
    }
    const held = this.#keeper.heldBack('tool', original) ?? this.#leftOut(key, definition)
    return { key, info, original, held, run: held ? refuse(held) : run, ...(headers && { headers }) }
  }

  #leftOut(key: string, definition: Params): Error | undefined {
    const hint = this.#keeper.leftOut(key, definition)
    return hint === undefined
      ? undefined
      : fault('unknown-tool', `Unknown tool: ${key}. ${hint}`, undefined, { subject: key, hint })
  }

  #prompt(definition: Params): Entry & Named {
    const original = String(definition.name)
    const key = this.#name(original)
    const held = this.#keeper.heldBack('prompt', original)
    const run: Handle = call =>
      this.#keeper.forward(call, { params: { ...withoutMeta(call.params), name: original }, repeatable: true })
    return {
      key,
      info: { ...cleanDefinition(definition), name: key },
      original,
      held,
      run: held ? refuse(held) : run,
      complete: this.complete,
    }
  }

  #resource(info: Params): Entry {
    return { key: String(info.uri), info: cleanDefinition(info), run: this.#read }
  }

  #template(definition: Params): TemplateEntry {
    const info = cleanDefinition(definition)
    try {
      const pattern = uriTemplate(String(info.uriTemplate))
      const matches = (uri: string): boolean => pattern.match(uri) !== undefined
      return { key: String(info.uriTemplate), info, matches, run: this.#read, complete: this.complete }
    } catch {
      // What nobody can expand is shown, but nothing can be one of it.
      return { key: String(info.uriTemplate), info, matches: () => false, run: this.#read }
    }
  }

  readonly #read: Handle = call => this.#keeper.forward(call, { params: { uri: call.params.uri }, repeatable: true })

  #name(name: string): string {
    const { prefix } = this.#config
    return prefix === false ? name : qualifiedName(prefix, name)
  }
}

interface Named {
  readonly original: string
  readonly held: Error | undefined
}

function split<E extends Entry>(shelf: LiveShelf<E>, entries: readonly (E & Named)[], isSame: boolean): void {
  const held = entries.filter(entry => entry.held !== undefined)
  const offered = held.length === 0 ? entries : entries.filter(entry => entry.held === undefined)
  shelf.replace(offered, held, isSame)
}

const refuse =
  (why: Error): Handle =>
  () => {
    throw why
  }

function withoutMeta({ _meta, ...params }: Params): Params {
  return params
}

function headersOf(tool: string, schema: unknown): readonly ParamHeader[] | undefined {
  try {
    const headers = paramHeaders(tool, (schema ?? {}) as Params)
    return headers.length > 0 ? headers : undefined
  } catch {
    return undefined
  }
}
