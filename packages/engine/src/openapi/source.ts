import { MemorySource } from '../catalog/memory-source.ts'
import { fitsPattern } from '../catalog/names.ts'
import type { Source } from '../catalog/source.ts'
import { tool } from '../define/define.ts'
import type { Tool } from '../define/define.ts'
import { didYouMean } from '../schema/nearest.ts'
import { isObject } from '../support/is-object.ts'
import { dataFrom } from '../untrusted/data-from.ts'
import { answerOf } from './answer.ts'
import { Prover } from './credentials.ts'
import type { ApiCredentials } from './credentials.ts'
import { DocumentProblem, readDocument } from './document.ts'
import type { Json } from './document.ts'
import { exchangeWith } from './exchange.ts'
import type { Exchange } from './exchange.ts'
import { inputOf } from './input.ts'
import type { Input } from './input.ts'
import { operationsOf } from './operations.ts'
import type { Method, Operation, Skipped } from './operations.ts'
import { toolNames } from './operation-names.ts'
import { orSkip } from './plain-schema.ts'
import { References } from './references.ts'
import { argumentsOf, requestFor } from './request.ts'
import { ownAddress, serverAddress } from './server-address.ts'
import type { ServerAddress, Whereabouts } from './server-address.ts'
import { firstParagraph, shortText } from './short-text.ts'

/** What may be chosen about the tools of an API. */
export interface OpenApiOptions extends Whereabouts {
  readonly credentials?: ApiCredentials | undefined
  /** Methods that become tools. Default: those that only read, `get` and `head`. */
  readonly methods?: readonly Method[] | undefined
  /** Only operations with one of these tags. */
  readonly tags?: readonly string[] | undefined
  /** Only operations whose path fits one of these; `*` stands for anything. */
  readonly paths?: readonly string[] | undefined
  /** Which of the tools are served. Default: all. */
  readonly accepts?: ((tool: Tool) => boolean) | undefined
  /** The largest answer. Default: 10 MB. */
  readonly maxBytes?: number | undefined
  /** How long one exchange may take. Default: 30 s. */
  readonly timeoutMs?: number | undefined
}

/** The operations of an API as tools. */
export interface OpenApiSource extends Source {
  /** What the API is called. */
  readonly title: string
  /** Where calls go. */
  readonly address: string
  readonly toolNames: readonly string[]
  /** Operations that cannot be offered, and why. */
  readonly skipped: readonly Skipped[]
}

const MOST_BYTES = 10_000_000
const WITHIN_MS = 30_000
const READING: readonly Method[] = ['get', 'head']
const REPEATABLE: readonly Method[] = ['get', 'head', 'options', 'put', 'delete']
const LONGEST_DESCRIPTION = 300

/**
 * The operations of an OpenAPI document (3.0, 3.1, or Swagger 2.0; an object, or JSON text) as tools, one each.
 * Throws an error that says what is wrong with a document that cannot be used.
 */
export function openApiSource(document: string | object, options: OpenApiOptions = {}): OpenApiSource {
  return orSkip('This OpenAPI document', () => sourceOf(readDocument(document), options))
}

function sourceOf(document: Json, options: OpenApiOptions): OpenApiSource {
  const { credentials = {}, maxBytes = MOST_BYTES, timeoutMs = WITHIN_MS, accepts = () => true } = options
  const references = new References(document)
  const server = serverAddress(document, options)
  const { operations, skipped } = operationsOf(document, references)
  const api: Api = {
    references,
    server,
    prover: new Prover(document, references, { credentials, server }),
    exchange: exchangeWith(server, { maxBytes, timeoutMs }),
  }
  const title = titleOf(document)
  const memory = new MemorySource(
    { name: title, use: [dataFrom(`API ${title}`)] },
    {},
    { naming: 'standard', repair: true },
  )
  const unusable = [...skipped]
  const names = toolNames(operations)
  for (const operation of chosen(operations, options)) {
    try {
      const made = toolOf(operation, names.get(operation) ?? '', api)
      if (accepts(made)) memory.add(made, [])
    } catch (error) {
      if (!(error instanceof DocumentProblem || error instanceof TypeError)) throw error
      unusable.push({ operation: `${operation.method.toUpperCase()} ${operation.path}`, why: error.message })
    }
  }
  const toolNamesServed = memory.tools.list().map(({ key }) => key)
  const instructions = `Calls of the HTTP API ${JSON.stringify(title)} at ${server.url.origin}: a tool per operation.`
  return {
    name: title,
    instructions,
    tools: memory.tools,
    title,
    address: server.url.href,
    toolNames: toolNamesServed,
    skipped: unusable,
  }
}

function titleOf({ info }: Json): string {
  const title = isObject(info) && typeof info.title === 'string' ? shortText(info.title, 60) : ''
  return title === '' ? 'openapi' : title
}

/** Those that the filters leave; a filter that fits nothing is a mistake, and says what there is. */
function chosen(operations: readonly Operation[], options: OpenApiOptions): readonly Operation[] {
  const { methods = READING, tags = [], paths = [] } = options
  const known = [...new Set(operations.flatMap(operation => operation.tags))]
  for (const tag of tags) if (!known.includes(tag)) throw unknownTag(tag, known)
  for (const path of paths)
    if (!operations.some(operation => fitsPattern(operation.path, path)))
      throw new DocumentProblem(
        `No path of the document fits '${path.slice(0, 200)}'. ${
          didYouMean(
            path,
            operations.map(one => one.path),
          ) ?? 'Write * for anything, as in /pets/*.'
        }`,
      )
  return operations.filter(
    operation =>
      methods.includes(operation.method) &&
      (tags.length === 0 || operation.tags.some(tag => tags.includes(tag))) &&
      (paths.length === 0 || paths.some(path => fitsPattern(operation.path, path))),
  )
}

function unknownTag(tag: string, known: readonly string[]): Error {
  const there = known.length === 0 ? 'The document has no tags.' : `There is ${known.slice(0, 20).join(', ')}.`
  return new DocumentProblem(`No operation has the tag '${tag.slice(0, 100)}'. ${didYouMean(tag, known) ?? there}`)
}

interface Api {
  readonly references: References
  readonly server: ServerAddress
  readonly prover: Prover
  readonly exchange: Exchange
}

function toolOf(operation: Operation, name: string, api: Api): Tool {
  const { method } = operation
  const server = ownAddress(operation.server, api.server)
  const input: Input = orSkip('Its schema', () => inputOf(operation, api.references))
  const isReading = READING.includes(method)
  return tool(
    {
      name,
      description: descriptionOf(operation),
      input: input.schema,
      readOnly: isReading,
      ...(!isReading && { destructive: method === 'delete' || method === 'put' }),
      idempotent: REPEATABLE.includes(method),
      openWorld: true,
    },
    async (given, ctx) => {
      const proof = await api.prover.proofFor(operation)
      const request = requestFor({ operation, input, server }, argumentsOf(given), proof)
      const response = await api.exchange(request, ctx.signal)
      if (response.status === 401) api.prover.refused()
      return answerOf(response, { operation, input, needs: api.prover.needsOf(operation) })
    },
  )
}

/** What a model should know: the summary, what else is said, and which request it is. */
function descriptionOf({ method, path, summary, description }: Operation): string {
  const parts = [summary, description && firstParagraph(description)].map(part =>
    shortText(part ?? '', LONGEST_DESCRIPTION),
  )
  const different = [...new Set(parts.map(part => part.replace(/[.\s]+$/, '')))].filter(part => part !== '')
  const said = shortText(
    different.map(part => (/[!?…:]$/.test(part) ? part : `${part}.`)).join(' '),
    LONGEST_DESCRIPTION,
  )
  return `${said === '' ? '' : `${said} `}(${method.toUpperCase()} ${path.slice(0, 200)})`
}
