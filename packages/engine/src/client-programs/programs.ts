/** A path that differs by platform. `~`, `$XDG_CONFIG_HOME` (usually ~/.config) and `%APPDATA%` stand for folders. */
export type PlatformPath = string | { readonly linux: string; readonly darwin: string; readonly win32: string }

/** A file in which a program keeps servers. */
export interface ClientFile {
  /** A relative path lies in a project, which may belong to others. */
  readonly path: PlatformPath
  /** The keys that lead to the servers, if not those of the program. */
  readonly container?: readonly string[]
  /** The key below which it also has servers of single folders, by the path of the folder. */
  readonly folders?: string
}

/** An MCP client program: where it keeps its servers, and how one is written there. */
export interface ClientProgram {
  readonly id: string
  /** Other names that commands take. */
  readonly aliases?: readonly string[]
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
  /** Entries name their transport; what they call HTTP, if not `http`. */
  readonly isTyped?: boolean
  readonly httpType?: string
  /** Entries are tables of the program Goose, with keys of its own. */
  readonly isGoose?: boolean
  /** Knows stdio only, and reaches HTTP through the program mcp-remote. */
  readonly isBridged?: boolean
  /** Servers are added by a command. */
  readonly addCommand?: string
  /** Stands for the folder that is open. */
  readonly workspace?: string
  /** Starts servers in the folder that it was started in itself. */
  readonly startsInFolder?: boolean
}

const CODE = {
  linux: '$XDG_CONFIG_HOME/Code/User',
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
    startsInFolder: true,
    name: 'Claude Code',
    files: [{ path: '~/.claude.json', folders: 'projects' }, { path: '.mcp.json' }],
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
    id: 'claude-desktop',
    aliases: ['claude'],
    name: 'Claude Desktop',
    files: [
      {
        path: inFolder(
          {
            linux: '$XDG_CONFIG_HOME/Claude',
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
    startsInFolder: true,
    name: 'Codex',
    files: [{ path: '~/.codex/config.toml' }],
    where: '~/.codex/config.toml',
    container: ['mcp_servers'],
    urlKey: 'url',
    headersKey: 'http_headers',
  },
  {
    id: 'gemini-cli',
    startsInFolder: true,
    aliases: ['gemini'],
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
        path: inFolder(
          { linux: '$XDG_CONFIG_HOME/zed', darwin: '~/.config/zed', win32: '%APPDATA%/Zed' },
          'settings.json',
        ),
      },
      { path: '.zed/settings.json' },
    ],
    where: 'settings.json',
    container: ['context_servers'],
    urlKey: 'url',
  },
  {
    id: 'jetbrains',
    aliases: ['junie'],
    name: 'JetBrains',
    files: [{ path: '~/.junie/mcp/mcp.json' }, { path: '.junie/mcp/mcp.json' }],
    where: '~/.junie/mcp/mcp.json',
    container: ['mcpServers'],
    urlKey: 'url',
  },
  {
    id: 'cline',
    name: 'Cline',
    files: [{ path: inFolder(CODE, 'globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json') }],
    where: 'cline_mcp_settings.json',
    container: ['mcpServers'],
    urlKey: 'url',
    isTyped: true,
    httpType: 'streamableHttp',
  },
  {
    id: 'goose',
    startsInFolder: true,
    name: 'Goose',
    files: [
      {
        path: inFolder(
          {
            linux: '$XDG_CONFIG_HOME/goose',
            darwin: '~/.config/goose',
            win32: '%APPDATA%/Block/goose/config',
          },
          'config.yaml',
        ),
      },
    ],
    where: '~/.config/goose/config.yaml',
    container: ['extensions'],
    urlKey: 'uri',
    isGoose: true,
  },
]

/** The client program of that id or other name. */
export const programNamed = (name: string): ClientProgram | undefined =>
  clientPrograms.find(({ id, aliases = [] }) => id === name || aliases.includes(name))

/** Every place in a file where some program keeps servers, as the keys that lead there. */
export const serverContainers: readonly (readonly string[])[] = containers()

function containers(): readonly (readonly string[])[] {
  const found = new Map<string, readonly string[]>()
  for (const { container, files } of clientPrograms)
    for (const keys of [container, ...files.map(file => file.container ?? container)]) found.set(keys.join('.'), keys)
  return [...found.values()]
}
