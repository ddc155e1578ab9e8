import { readFileSync } from 'node:fs'
import { Compile } from 'typebox/schema'
import type { Validator } from 'typebox/schema'

type Json = Record<string, unknown>

/** Everything on the wire: what the checker is given. */
export type Wired = Readonly<Json>

const RESULTS: Readonly<Record<string, string>> = {
  initialize: 'InitializeResult',
  ping: 'EmptyResult',
  'server/discover': 'DiscoverResult',
  'subscriptions/listen': 'SubscriptionsListenResult',
  'tools/list': 'ListToolsResult',
  'tools/call': 'CallToolResult',
  'prompts/list': 'ListPromptsResult',
  'prompts/get': 'GetPromptResult',
  'resources/list': 'ListResourcesResult',
  'resources/templates/list': 'ListResourceTemplatesResult',
  'resources/read': 'ReadResourceResult',
  'resources/subscribe': 'EmptyResult',
  'resources/unsubscribe': 'EmptyResult',
  'completion/complete': 'CompleteResult',
  'logging/setLevel': 'EmptyResult',
}

/** Errors that have a shape of their own, where a revision names one. */
const ERRORS: Readonly<Record<number, string>> = {
  [-32021]: 'MissingRequiredClientCapabilityError',
  [-32022]: 'UnsupportedProtocolVersionError',
}

/** Members that hold a JSON Schema or a free map: anything may stand in them. */
const OPEN = new Set(['inputSchema', 'outputSchema', '_meta', 'experimental'])

const isMap = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

/** One revision's official schema, as a judge of what a server sends. */
export class Judge {
  readonly #definitions: Json
  readonly #schema: Json
  readonly #key: string
  readonly #byMethod = new Map<string, string>()
  readonly #compiled = new Map<string, Validator>()

  constructor(version: string) {
    const file = new URL(`../../../../test/schema/${version}.json`, import.meta.url)
    const official = JSON.parse(readFileSync(file, 'utf8')) as Json
    this.#key = '$defs' in official ? '$defs' : 'definitions'
    this.#definitions = closed(official[this.#key]) as Json
    this.#schema = { ...official, [this.#key]: this.#definitions }
    for (const [name, definition] of Object.entries(this.#definitions)) {
      const method = methodOf(definition)
      if (method !== undefined) this.#byMethod.set(method, name)
    }
  }

  /** What is wrong with an answer to a request of that method. */
  answer(message: Wired, method: string): string[] {
    if ('error' in message) return this.#error(message)
    const envelope = this.#check(
      this.#has('JSONRPCResultResponse') ? 'JSONRPCResultResponse' : 'JSONRPCResponse',
      message,
    )
    const { result } = message
    const asks = isMap(result) && result.resultType === 'input_required'
    return [
      ...envelope,
      ...this.#check(asks ? 'InputRequiredResult' : (RESULTS[method] ?? `no result of ${method}`), result),
    ]
  }

  /** What is wrong with a notification or a request of the server's. */
  sent(message: Wired): string[] {
    const method = String(message.method)
    const isRequest = 'id' in message
    const envelope = this.#check(isRequest ? 'JSONRPCRequest' : 'JSONRPCNotification', message)
    const name = this.#byMethod.get(method)
    const allowed = this.#union(isRequest ? 'ServerRequest' : 'ServerNotification')
    if (name === undefined || !allowed.includes(name)) return [...envelope, `${method} is nothing a server may send`]
    const { jsonrpc, id, ...bare } = message
    const definition = this.#definitions[name]
    const wrapped = isMap(definition) && isMap(definition.properties) && 'jsonrpc' in definition.properties
    return [...envelope, ...this.#check(name, wrapped ? message : bare)]
  }

  #error(message: Wired): string[] {
    const { id, ...rest } = message
    const isOld = !this.#has('JSONRPCErrorResponse')
    // Where the id could not be read JSON-RPC says null, although the older schemas leave no room for it.
    const shown = isOld && id === null ? { ...rest, id: 0 } : message
    const code = isMap(message.error) ? Number(message.error.code) : 0
    const special = ERRORS[code]
    return [
      ...this.#check(isOld ? 'JSONRPCError' : 'JSONRPCErrorResponse', shown),
      ...(special !== undefined && this.#has(special) ? this.#check(special, shown) : []),
    ]
  }

  #has(name: string): boolean {
    return Object.hasOwn(this.#definitions, name)
  }

  #union(name: string): string[] {
    const definition = this.#definitions[name]
    const branches = isMap(definition) && Array.isArray(definition.anyOf) ? definition.anyOf : []
    return branches.map(branch => (isMap(branch) ? String(branch.$ref).split('/').at(-1) : undefined) ?? '')
  }

  #check(name: string, value: unknown): string[] {
    if (!this.#has(name)) return [`the schema has no ${name}`]
    const known = this.#compiled.get(name) ?? Compile({ ...this.#schema, $ref: `#/${this.#key}/${name}` })
    this.#compiled.set(name, known)
    if (known.Check(value)) return []
    const why = known.Errors(value)[1].map(({ instancePath, message }) => `${instancePath} ${message}`)
    return [`${name}: ${why.slice(0, 5).join('; ')} in ${JSON.stringify(value).slice(0, 400)}`]
  }
}

function methodOf(definition: unknown): string | undefined {
  if (!isMap(definition) || !isMap(definition.properties) || !isMap(definition.properties.method)) return undefined
  const { const: method } = definition.properties.method
  return typeof method === 'string' ? method : undefined
}

/** The official schemas allow any extra member; a member a revision does not name is what an era leak looks like. */
function closed(schema: unknown, name = ''): unknown {
  if (Array.isArray(schema)) return schema.map(item => closed(item))
  if (!isMap(schema)) return schema
  const inner = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, key === 'allOf' ? value : closed(value, key)]),
  )
  const isOpen = OPEN.has(name) || name.endsWith('MetaObject') || 'additionalProperties' in schema
  if (!isMap(schema.properties) || schema.type !== 'object' || isOpen) return inner
  // Extensions are declared in the handshake too, though the schemas of its revisions do not name them.
  const declared = name === 'ServerCapabilities' ? { extensions: { type: 'object' } } : {}
  return { ...inner, properties: { ...declared, ...(inner.properties as Json) }, additionalProperties: false }
}

const judges = new Map<string, Judge>()

/** The judge of a revision, made once. */
export function judgeOf(version: string): Judge {
  const judge = judges.get(version) ?? new Judge(version)
  judges.set(version, judge)
  return judge
}
