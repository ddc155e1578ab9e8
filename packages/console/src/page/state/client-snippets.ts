/** What a client needs to be told, and where. */
export interface ClientSnippet {
  readonly client: string
  /** Where it goes: a file, or a shell. */
  readonly where: string
  readonly text: string
}

/** How this server is reached. */
export interface Reached {
  /** Without a path. */
  readonly url: string
  readonly token: string
  readonly needsToken: boolean
  readonly command: readonly string[]
}

const json = (value: unknown): string => JSON.stringify(value, null, 2)

/** What to paste into each client, with this server's own address and token. */
export function overHttp({ url, token, needsToken }: Reached): readonly ClientSnippet[] {
  const mcp = `${url}/mcp`
  const bearer = `Bearer ${token === '' ? 'TOKEN' : token}`
  const headers = needsToken ? { headers: { Authorization: bearer } } : {}
  const flag = needsToken ? ` --header "Authorization: ${bearer}"` : ''
  const remote = ['-y', 'mcp-remote', mcp, ...(needsToken ? ['--header', `Authorization: ${bearer}`] : [])]
  return [
    { client: 'Claude Code', where: 'In a terminal', text: `claude mcp add --transport http causeway ${mcp}${flag}` },
    {
      client: 'VS Code',
      where: '.vscode/mcp.json',
      text: json({ servers: { causeway: { type: 'http', url: mcp, ...headers } } }),
    },
    { client: 'Cursor', where: '.cursor/mcp.json', text: json({ mcpServers: { causeway: { url: mcp, ...headers } } }) },
    {
      client: 'Claude Desktop',
      where: 'claude_desktop_config.json, through mcp-remote',
      text: json({ mcpServers: { causeway: { command: 'npx', args: remote } } }),
    },
    { client: 'Codex', where: '~/.codex/config.toml', text: codex(mcp, needsToken ? bearer : undefined) },
    {
      client: 'Gemini CLI',
      where: '~/.gemini/settings.json',
      text: json({ mcpServers: { causeway: { httpUrl: mcp, ...headers } } }),
    },
    {
      client: 'Windsurf',
      where: '~/.codeium/windsurf/mcp_config.json',
      text: json({ mcpServers: { causeway: { serverUrl: mcp, ...headers } } }),
    },
    {
      client: 'Zed',
      where: 'settings.json',
      text: json({ context_servers: { causeway: { url: mcp, ...headers } } }),
    },
    {
      client: 'Older clients, over SSE',
      where: 'Their configuration',
      text: json({ mcpServers: { causeway: { type: 'sse', transport: 'sse', url: `${url}/sse`, ...headers } } }),
    },
  ]
}

const codex = (url: string, bearer: string | undefined): string =>
  [
    '[mcp_servers.causeway]',
    `url = ${JSON.stringify(url)}`,
    ...(bearer === undefined ? [] : [`http_headers = { Authorization = ${JSON.stringify(bearer)} }`]),
  ].join('\n')

/** For clients that start the server themselves. */
export function overStdio({ command: [program = 'causeway', ...args] }: Reached): readonly ClientSnippet[] {
  const shell = [program, ...args].map(part => (/\s/.test(part) ? `"${part}"` : part)).join(' ')
  return [
    { client: 'Claude Code', where: 'In a terminal', text: `claude mcp add causeway -- ${shell}` },
    {
      client: 'Any client with mcpServers',
      where: 'Claude Desktop, Cursor, Windsurf, Gemini CLI',
      text: json({ mcpServers: { causeway: { command: program, args } } }),
    },
  ]
}
