import { shellWord } from '../support/shell-word.ts'
import { visibleJson } from '../support/visible-json.ts'
import type { ClientProgram } from './programs.ts'

/** The address of a server over HTTP, and the headers it wants. */
export interface HttpAddress {
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
}

/** How a server is started on stdio. */
export interface StdioCommand {
  readonly command: string
  readonly args: readonly string[]
}

/** The keys that lead to the servers, and what is written there. */
export interface ClientEntry {
  readonly path: readonly string[]
  readonly entry: Readonly<Record<string, unknown>>
}

/** The entry of a program that starts the server itself. */
export function stdioEntry(program: ClientProgram, name: string, { command, args }: StdioCommand): ClientEntry {
  const { container, isTyped, isGoose } = program
  const entry = isGoose
    ? { enabled: true, type: 'stdio', name, cmd: command, args, envs: {}, timeout: 300 }
    : { ...(isTyped && { type: 'stdio' }), command, args }
  return { path: [...container, name], entry }
}

/** The entry of a program that uses the server at an address. */
export function httpEntry(program: ClientProgram, name: string, { url, headers }: HttpAddress): ClientEntry {
  const { container, isBridged, isTyped, isGoose, urlKey, headersKey = 'headers', httpType = 'http' } = program
  const path = [...container, name]
  if (isBridged) return { path, entry: { command: 'npx', args: ['-y', 'mcp-remote', url, ...headerFlags(headers)] } }
  const goose = { enabled: true, type: 'streamable_http', name, timeout: 300 }
  const kind = isGoose ? goose : isTyped ? { type: httpType } : {}
  return { path, entry: { ...kind, [urlKey]: url, ...(headers && { [headersKey]: headers }) } }
}

const headerFlags = (headers: HttpAddress['headers'] = {}): string[] =>
  Object.entries(headers).flatMap(([key, value]) => ['--header', `${key}: ${value}`])

/** A link that adds the server to a program with one click, if the program has such links. */
export function installLink({ id }: ClientProgram, name: string, { entry }: ClientEntry): string | undefined {
  if (id === 'vscode') return `vscode:mcp/install?${encodeURIComponent(JSON.stringify({ name, ...entry }))}`
  if (id !== 'cursor') return undefined
  const config = btoa(String.fromCharCode(...new TextEncoder().encode(JSON.stringify(entry))))
  return `cursor://anysphere.cursor-deeplink/mcp/install?${new URLSearchParams({ name, config }).toString()}`
}

const inShell = (...words: readonly string[]): string => words.map(shellWord).join(' ')

/** What to paste into a program so that it starts the server itself. */
export function stdioSnippet(program: ClientProgram, name: string, server: StdioCommand, indent = 2): string {
  const { addCommand } = program
  if (addCommand !== undefined) return `${addCommand} ${inShell(name, '--', server.command, ...server.args)}`
  return written(program, stdioEntry(program, name, server), indent)
}

/** What to paste into a program so that it uses the server at an address. */
export function httpSnippet(program: ClientProgram, name: string, server: HttpAddress, indent = 2): string {
  const { addCommand } = program
  const words = ['--transport', 'http', name, server.url, ...headerFlags(server.headers)]
  if (addCommand !== undefined) return `${addCommand} ${inShell(...words)}`
  return written(program, httpEntry(program, name, server), indent)
}

/** What older programs take that know HTTP+SSE only; some of them read one of the two types, some the other. */
export const sseSnippet = (name: string, { url, headers }: HttpAddress, indent = 2): string =>
  visibleJson({ mcpServers: { [name]: { type: 'sse', url, transport: 'sse', ...(headers && { headers }) } } }, indent)

function written({ where }: ClientProgram, { path, entry }: ClientEntry, indent: number): string {
  if (where.endsWith('.toml'))
    return [`[${path.map(tomlKey).join('.')}]`, ...Object.entries(entry).map(tomlLine)].join('\n')
  if (where.endsWith('.yaml')) return yamlLines(path, entry).join('\n')
  const nested = path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), entry)
  return visibleJson(nested, indent)
}

/** YAML takes JSON for values. */
const yamlLines = (path: readonly string[], entry: ClientEntry['entry']): readonly string[] => [
  ...path.map((key, depth) => `${'  '.repeat(depth)}${tomlKey(key)}:`),
  ...Object.entries(entry).map(([key, value]) => `${'  '.repeat(path.length)}${tomlKey(key)}: ${visibleJson(value)}`),
]

const tomlKey = (key: string): string => (/^[\w-]+$/.test(key) ? key : visibleJson(key))
const tomlLine = ([key, value]: [string, unknown]): string => `${key} = ${tomlValue(value)}`

/** Texts, lists of them and tables of them: what an entry holds. */
function tomlValue(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(tomlValue).join(', ')}]`
  if (typeof value === 'object' && value !== null)
    return `{ ${Object.entries(value)
      .map(([key, inner]) => `${tomlKey(key)} = ${tomlValue(inner)}`)
      .join(', ')} }`
  return visibleJson(value)
}
