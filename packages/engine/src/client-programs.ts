import { shellWord } from './support/shell-word.ts'
import { visibleJson } from './support/visible-json.ts'

export { shellJson, shellWord } from './support/shell-word.ts'
export { visibleJson } from './support/visible-json.ts'

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

/** A path that differs by platform; `~` is the home folder, `%APPDATA%` the one of that name on Windows. */
export type PlatformPath = string | { readonly linux: string; readonly darwin: string; readonly win32: string }

/** A file in which a program keeps servers. */
export interface ClientFile {
  /** A relative path lies in a project, which may be somebody else's. */
  readonly path: PlatformPath
  /** The keys that lead to the servers, if not those of the program. */
  readonly container?: readonly string[]
}

/** An MCP client program: where it keeps its servers, and how one is written there. */
export interface ClientProgram {
  readonly id: string
  readonly name: string
  readonly files: readonly ClientFile[]
  /** Where a person puts a snippet. */
  readonly where: string
  /** The keys that lead to the servers. */
  readonly container: readonly string[]
  readonly urlKey: string
  readonly headersKey?: string
  /** What an entry with a bare `url` means; default: Streamable HTTP. */
  readonly plainUrl?: 'sse'
  /** Entries name their transport. */
  readonly isTyped?: boolean
  /** Knows stdio only, and reaches HTTP through the program mcp-remote. */
  readonly isBridged?: boolean
  /** Servers are added by a command. */
  readonly addCommand?: string
  /** Stands for the folder that is open. */
  readonly workspace?: string
}

const CODE = {
  linux: '~/.config/Code/User',
  darwin: '~/Library/Application Support/Code/User',
  win32: '%APPDATA%/Code/User',
}
const inFolder = ({ linux, darwin, win32 }: typeof CODE, file: string): PlatformPath => ({
  linux: `${linux}/${file}`,
  darwin: `${darwin}/${file}`,
  win32: `${win32}/${file}`,
})

/** Every client program that we know, a row each; banner, console, README and `causeway servers` use it. */
export const clientPrograms: readonly ClientProgram[] = [
  {
    id: 'claude-code',
    name: 'Claude Code',
    files: [{ path: '~/.claude.json' }, { path: '.mcp.json' }],
    where: 'In a terminal',
    container: ['mcpServers'],
    urlKey: 'url',
    isTyped: true,
    addCommand: 'claude mcp add',
  },
  {
    id: 'vscode',
    name: 'VS Code',
    files: [
      { path: inFolder(CODE, 'mcp.json') },
      { path: inFolder(CODE, 'settings.json'), container: ['mcp', 'servers'] },
      { path: '.vscode/mcp.json' },
    ],
    where: '.vscode/mcp.json',
    container: ['servers'],
    urlKey: 'url',
    isTyped: true,
    workspace: '${workspaceFolder}',
  },
  {
    id: 'cursor',
    name: 'Cursor',
    files: [{ path: '~/.cursor/mcp.json' }, { path: '.cursor/mcp.json' }],
    where: '.cursor/mcp.json',
    container: ['mcpServers'],
    urlKey: 'url',
    workspace: '${workspaceFolder}',
  },
  {
    id: 'claude',
    name: 'Claude Desktop',
    files: [
      {
        path: inFolder(
          {
            linux: '~/.config/Claude',
            darwin: '~/Library/Application Support/Claude',
            win32: '%APPDATA%/Claude',
          },
          'claude_desktop_config.json',
        ),
      },
    ],
    where: 'claude_desktop_config.json',
    container: ['mcpServers'],
    urlKey: 'url',
    isBridged: true,
  },
  {
    id: 'codex',
    name: 'Codex',
    files: [{ path: '~/.codex/config.toml' }],
    where: '~/.codex/config.toml',
    container: ['mcp_servers'],
    urlKey: 'url',
    headersKey: 'http_headers',
  },
  {
    id: 'gemini',
    name: 'Gemini CLI',
    files: [{ path: '~/.gemini/settings.json' }, { path: '.gemini/settings.json' }],
    where: '~/.gemini/settings.json',
    container: ['mcpServers'],
    urlKey: 'httpUrl',
    plainUrl: 'sse',
  },
  {
    id: 'windsurf',
    name: 'Windsurf',
    files: [{ path: '~/.codeium/windsurf/mcp_config.json' }],
    where: '~/.codeium/windsurf/mcp_config.json',
    container: ['mcpServers'],
    urlKey: 'serverUrl',
  },
  {
    id: 'zed',
    name: 'Zed',
    files: [
      {
        path: inFolder({ linux: '~/.config/zed', darwin: '~/.config/zed', win32: '%APPDATA%/Zed' }, 'settings.json'),
      },
      { path: '.zed/settings.json' },
    ],
    where: 'settings.json',
    container: ['context_servers'],
    urlKey: 'url',
  },
]

/** Every place in a file where some program keeps servers, as the keys that lead there. */
export const serverContainers: readonly (readonly string[])[] = containers()

function containers(): readonly (readonly string[])[] {
  const found = new Map<string, readonly string[]>()
  for (const { container, files } of clientPrograms)
    for (const keys of [container, ...files.map(file => file.container ?? container)]) found.set(keys.join('.'), keys)
  return [...found.values()]
}

const isToml = ({ where }: ClientProgram): boolean => where.endsWith('.toml')
const inShell = (...words: readonly string[]): string => words.map(shellWord).join(' ')

/** What to paste into a program so that it starts the server itself. */
export function stdioSnippet(
  program: ClientProgram,
  name: string,
  { command, args }: StdioCommand,
  indent = 2,
): string {
  const { addCommand, isTyped } = program
  if (addCommand !== undefined) return `${addCommand} ${inShell(name, '--', command, ...args)}`
  return written(program, name, { ...(isTyped && { type: 'stdio' }), command, args }, indent)
}

/** What to paste into a program so that it uses the server at an address. */
export function httpSnippet(program: ClientProgram, name: string, { url, headers }: HttpAddress, indent = 2): string {
  const { addCommand, isBridged, isTyped, urlKey, headersKey = 'headers' } = program
  const lines = Object.entries(headers ?? {}).map(([key, value]) => `${key}: ${value}`)
  if (addCommand !== undefined)
    return `${addCommand} ${inShell('--transport', 'http', name, url, ...lines.flatMap(line => ['--header', line]))}`
  const entry = isBridged
    ? { command: 'npx', args: ['-y', 'mcp-remote', url, ...lines.flatMap(line => ['--header', line])] }
    : { ...(isTyped && { type: 'http' }), [urlKey]: url, ...(headers && { [headersKey]: headers }) }
  return written(program, name, entry, indent)
}

/** What older programs take that know HTTP+SSE only; some of them read one of the two types, some the other. */
export const sseSnippet = (name: string, { url, headers }: HttpAddress, indent = 2): string =>
  visibleJson({ mcpServers: { [name]: { type: 'sse', url, transport: 'sse', ...(headers && { headers }) } } }, indent)

function written(program: ClientProgram, name: string, entry: object, indent: number): string {
  const { container } = program
  if (isToml(program))
    return [`[${[...container, tomlKey(name)].join('.')}]`, ...Object.entries(entry).map(tomlLine)].join('\n')
  const nested = [...container, name].reduceRight<unknown>((inner, key) => ({ [key]: inner }), entry)
  return visibleJson(nested, indent)
}

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
