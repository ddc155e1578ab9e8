import { isObject } from '../support/is-object.ts'
import { DocumentProblem } from './document.ts'
import type { Json } from './document.ts'
import type { References } from './references.ts'

/** The methods that operations may have. */
export const METHODS = ['get', 'head', 'post', 'put', 'patch', 'delete', 'options'] as const
/** One of them. */
export type Method = (typeof METHODS)[number]

/** One value that a request has outside of its body. */
export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header' | 'cookie'
  readonly required: boolean
  readonly description: string | undefined
  readonly schema: unknown
  readonly style: string | undefined
  readonly explode: boolean | undefined
  /** It is written as JSON, whatever its style. */
  readonly isJson: boolean
}

/** What a request sends. */
export interface Body {
  readonly type: string
  readonly required: boolean
  readonly description: string | undefined
  readonly schema: unknown
  /** How properties of forms are written. */
  readonly encoding: Json
}

/** One method of one path. */
export interface Operation {
  readonly method: Method
  readonly path: string
  readonly id: string | undefined
  readonly summary: string | undefined
  readonly description: string | undefined
  readonly tags: readonly string[]
  readonly parameters: readonly Parameter[]
  readonly body: Body | undefined
  /** Undefined where the document's own holds. */
  readonly security: unknown
  /** The URL of another server than the document's. */
  readonly server: unknown
}

/** An operation that is left out, and why. */
export interface Skipped {
  readonly operation: string
  readonly why: string
}

const MOST_OPERATIONS = 10_000
const PLACES: readonly unknown[] = ['path', 'query', 'header', 'cookie']
// What is decided by the type of the body and by who is logged in.
const OWN_HEADERS = new Set(['accept', 'content-type', 'authorization'])

/** Every operation of a document, and what cannot be used of it. */
export function operationsOf(
  document: Json,
  references: References,
): { readonly operations: readonly Operation[]; readonly skipped: readonly Skipped[] } {
  const operations: Operation[] = []
  const skipped: Skipped[] = []
  for (const [path, item] of Object.entries(document.paths as Json)) {
    for (const method of METHODS) {
      if (operations.length === MOST_OPERATIONS)
        throw new DocumentProblem(`This OpenAPI document has more than ${MOST_OPERATIONS} operations`)
      try {
        const found = operationAt(references, { path, method, item })
        if (found) operations.push(found)
      } catch (error) {
        if (!(error instanceof DocumentProblem)) throw error
        skipped.push({ operation: `${method.toUpperCase()} ${path}`, why: error.message })
      }
    }
  }
  return { operations, skipped }
}

interface Place {
  readonly path: string
  readonly method: Method
  readonly item: unknown
}

function operationAt(references: References, { path, method, item }: Place): Operation | undefined {
  if (!isObject(item) || (item[method] === undefined && item.$ref === undefined)) return undefined
  const shared = references.resolve(item)
  const own = shared[method]
  if (own === undefined) return undefined
  if (!isObject(own)) throw new DocumentProblem('It is not an object')
  if (!path.startsWith('/')) throw new DocumentProblem("Its path does not begin with '/'")
  return {
    method,
    path,
    id: textOf(own.operationId),
    summary: textOf(own.summary) ?? textOf(shared.summary),
    description: textOf(own.description) ?? textOf(shared.description),
    tags: listOf(own.tags).filter(tag => typeof tag === 'string'),
    parameters: parametersOf(references, [...listOf(shared.parameters), ...listOf(own.parameters)], path),
    body: hasBody(method) && own.requestBody !== undefined ? bodyOf(references, own.requestBody) : undefined,
    security: own.security,
    server: firstServer(own.servers) ?? firstServer(shared.servers),
  }
}

const hasBody = (method: Method): boolean => method !== 'get' && method !== 'head'
const firstServer = (servers: unknown): unknown => listOf(servers)[0]
const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** Those of an operation replace those of its path with the same name in the same place. */
function parametersOf(references: References, listed: readonly unknown[], path: string): readonly Parameter[] {
  const found = new Map<string, Parameter>()
  for (const one of listed) {
    const parameter = parameterOf(references, one)
    if (parameter) found.set(`${parameter.in} ${parameter.name}`, parameter)
  }
  // One that is named in the path and nowhere else can only be text.
  for (const [, name = ''] of path.matchAll(/\{([^{}]+)\}/g))
    if (!found.has(`path ${name}`)) found.set(`path ${name}`, pathParameter(name))
  return [...found.values()]
}

const pathParameter = (name: string): Parameter => ({
  name,
  in: 'path',
  required: true,
  description: undefined,
  schema: { type: 'string' },
  style: undefined,
  explode: undefined,
  isJson: false,
})

function parameterOf(references: References, given: unknown): Parameter | undefined {
  const parameter = references.resolve(given)
  const { name, in: place, required, style, explode, content } = parameter
  if (typeof name !== 'string' || name === '' || !PLACES.includes(place))
    throw new DocumentProblem("One of its parameters lacks 'name', or 'in' is not path, query, header or cookie")
  if (place === 'header' && OWN_HEADERS.has(name.toLowerCase())) return undefined
  return {
    name,
    in: place as Parameter['in'],
    required: place === 'path' || required === true,
    description: textOf(parameter.description),
    schema: schemaOf(parameter),
    style: textOf(style),
    explode: typeof explode === 'boolean' ? explode : undefined,
    isJson: isObject(content) && Object.keys(content).some(isJsonType),
  }
}

function schemaOf({ schema, content }: Json): unknown {
  const inContent = isObject(content) ? Object.values(content).find(isObject)?.schema : undefined
  return schema ?? inContent ?? { type: 'string' }
}

/** Is it a type whose values are JSON? */
export const isJsonType = (type: string): boolean => /^[^;]*[/+]json\b/i.test(type)

const PREFERRED = ['application/x-www-form-urlencoded', 'multipart/form-data', 'text/plain']

function bodyOf(references: References, given: unknown): Body | undefined {
  const { content, required, description } = references.resolve(given)
  if (!isObject(content)) return undefined
  const types = Object.keys(content)
  const type = types.find(isJsonType) ?? PREFERRED.find(known => types.includes(known)) ?? types[0]
  if (type === undefined) return undefined
  const { schema, encoding } = references.resolve(content[type])
  return {
    type,
    required: required === true,
    description: textOf(description),
    schema: schema ?? {},
    encoding: isObject(encoding) ? encoding : {},
  }
}
