import { readFile } from 'node:fs/promises'
import type { Log } from '@causeway/engine'
import { DocumentProblem, METHODS, fetchDocument, openApiSource } from '@causeway/engine/openapi'
import type { ApiCredentials, Method, OpenApiSource } from '@causeway/engine/openapi'
import type { Config } from '../config/config.ts'
import { UsageError } from '../config/usage-error.ts'
import { mayStay } from '../serve/wanted-features.ts'
import type { ServedSource } from './served-source.ts'

const MOST_WARNINGS = 10

/** The API of `--openapi` as tools. */
export async function servedApi(document: string, config: Config, log: Log): Promise<ServedSource> {
  const tools: string[] = []
  const isUrl = /^https?:\/\//i.test(document)
  try {
    const text = isUrl ? await fetchDocument(document) : await readFile(document, 'utf8')
    const source = openApiSource(await parsed(text), {
      base: config.openapiBase,
      ...(isUrl && { from: document }),
      credentials: credentialsIn(process.env),
      methods: methodsOf(config.openapiMethod),
      tags: config.openapiTag,
      paths: config.openapiPath,
      maxBytes: config.maxResponse,
      accepts: tool => {
        tools.push(tool.name)
        return mayStay(tool, config)
      },
    })
    report(source, tools, log)
    return { tools, mount: server => void server.mount(source) }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new UsageError(`--openapi ${document} cannot be served: ${why}`)
  }
}

const isJson = (text: string): boolean => /^\uFEFF?\s*[{[]/.test(text)

/** What is no JSON is YAML, whose parser is loaded only then. */
async function parsed(text: string): Promise<string | object> {
  if (isJson(text)) return text
  const { parse } = await import('yaml')
  try {
    return parse(text, { maxAliasCount: 100, logLevel: 'error' }) as object
  } catch (cause) {
    const [why] = (cause instanceof Error ? cause.message : String(cause)).split('\n')
    throw new DocumentProblem(`This is not YAML: ${why}`, { cause })
  }
}

const methodsOf = (named: readonly string[]): readonly Method[] | undefined => {
  if (named.length === 0) return undefined
  return named.includes('all') ? METHODS : METHODS.filter(method => named.includes(method))
}

function report({ title, address, skipped, toolNames }: OpenApiSource, tools: readonly string[], log: Log): void {
  if (tools.length === 0) {
    const why = skipped[0] ? ` The first that cannot be: ${skipped[0].operation}: ${skipped[0].why}` : ''
    throw new DocumentProblem(
      `no operation of it becomes a tool. Without --openapi-method only get and head do; --openapi-method all takes every one.${why}`,
    )
  }
  log('info', 'serving an API', { title, address, tools: toolNames.length })
  for (const { operation, why } of skipped.slice(0, MOST_WARNINGS)) log('warn', `left out ${operation}`, { why })
  if (skipped.length > MOST_WARNINGS) log('warn', `left out ${skipped.length - MOST_WARNINGS} more operations`)
}

/** What the environment says for the API. */
function credentialsIn(env: NodeJS.ProcessEnv): ApiCredentials {
  const of = (name: string): string | undefined => (env[name] === '' ? undefined : env[name])
  const [id, secret] = [of('OPENAPI_CLIENT_ID'), of('OPENAPI_CLIENT_SECRET')]
  if ((id === undefined) !== (secret === undefined))
    throw new DocumentProblem('OPENAPI_CLIENT_ID and OPENAPI_CLIENT_SECRET belong together: set both')
  return {
    bearer: of('OPENAPI_BEARER'),
    basic: of('OPENAPI_BASIC'),
    key: of('OPENAPI_KEY'),
    ...(id !== undefined && secret !== undefined && { client: { id, secret, tokenUrl: of('OPENAPI_TOKEN_URL') } }),
  }
}
