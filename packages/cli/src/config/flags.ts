/** A flag of the command line, which is also a variable of the environment and a key of the configuration file. */
export interface Flag {
  readonly name: string
  /** What stands for its value in the help; without one the flag is a switch. */
  readonly value?: string
  readonly choices?: readonly string[]
  /** May be given several times, or as a comma-separated list. */
  readonly list?: boolean
  readonly default?: string
  readonly about: string
  /** The commands it has this meaning in; without any: all that take it. */
  readonly only?: readonly string[]
}

/** Every flag there is. */
export const flags: readonly Flag[] = [
  { name: 'stdio', about: 'Serve on standard input and output (the default)' },
  { name: 'http', about: 'Serve over HTTP: /mcp, /sse, /ws, /rpc' },
  { name: 'transport', value: 'NAME', choices: ['stdio', 'http'], about: 'The same as --stdio or --http' },
  { name: 'host', value: 'ADDRESS', default: '127.0.0.1', about: 'Address to listen on' },
  { name: 'port', value: 'N', default: '5000', about: 'Port to listen on; 0 picks a free one' },
  { name: 'token-file', value: 'FILE', about: 'Require a token listed in this file' },
  { name: 'allow-anonymous', about: 'Allow clients without a token on addresses other than loopback' },
  { name: 'allow-host', value: 'NAME', list: true, about: 'Host names that requests may use, such as that of a proxy' },
  { name: 'public-url', value: 'URL', about: 'URL that clients reach the server at, through a proxy' },
  { name: 'allow-origin', value: 'ORIGIN', list: true, about: 'Origins of web pages that may use the server' },
  {
    name: 'console',
    value: 'MODE',
    choices: ['on', 'off'],
    about:
      'Serve the console, a page to try everything in a browser, at /; default: on, but off where anyone could use it',
  },
  { name: 'max-connections', value: 'N', default: '4096', about: 'Most open connections' },
  { name: 'max-sessions', value: 'N', default: '10000', about: 'Most open sessions' },
  { name: 'workers', value: 'N', default: '1', about: 'Processes that serve the port together; auto for one a core' },
  {
    name: 'store',
    value: 'URL',
    about:
      'Share sessions, limits and keys with other processes: redis://user:password@host:port/database, or rediss://',
  },
  { name: 'store-prefix', value: 'TEXT', default: 'cw:', about: 'What every key in the store begins with' },
  {
    name: 'preset',
    value: 'NAME',
    default: 'default',
    about: 'Packs, identity, limits and error codes of one system; all lists every tool',
  },
  { name: 'pack', value: 'NAME', list: true, about: 'Packs to serve instead of those of the preset; none for none' },
  { name: 'tools', value: 'NAME', list: true, about: 'Serve only these tools; * stands for anything' },
  { name: 'exclude-tools', value: 'NAME', list: true, about: 'Do not serve these tools; * stands for anything' },
  {
    name: 'toolset',
    value: 'NAME',
    list: true,
    about:
      'List these groups of tools too: files, git, builds, templates, analysis, cassini, threats, basics, all; what is not listed is served all the same',
  },
  {
    name: 'search',
    value: 'MODE',
    choices: ['auto', 'on', 'off'],
    default: 'auto',
    about:
      'List find_tools, describe_tool and call_tool: where something is not listed (auto), or with what is pinned in the place of all others (on; auto does so above the threshold); presets that list every tool have it off',
  },
  {
    name: 'search-threshold',
    value: 'TOKENS',
    default: '10000',
    about: 'What the list of tools may cost before search takes over',
  },
  { name: 'search-promote', about: 'Add tools that a session found to its list, and tell the client that it changed' },
  { name: 'pin', value: 'NAME', list: true, about: 'Tools or toolsets that stay listed where search takes over' },
  { name: 'tools-dir', value: 'DIR', list: true, about: 'Also serve the tools exported by the modules in this folder' },
  {
    name: 'servers',
    value: 'FILE',
    list: true,
    about: 'Also serve the MCP servers in this file, as other clients have it (mcpServers, or servers)',
  },
  {
    name: 'virtual',
    value: 'NAME=PATTERN',
    list: true,
    about: 'Also serve the tools that fit, own and of servers, at /mcp/NAME; several patterns are joined by +',
  },
  {
    name: 'lock',
    value: 'MODE',
    choices: ['hold', 'strict', 'warn'],
    default: 'hold',
    about: 'What of a server is not as mcp.lock has it: held back, all of the server held back, or only logged',
  },
  {
    name: 'scan',
    value: 'MODE',
    choices: ['refuse', 'warn', 'off'],
    default: 'warn',
    about: "What to do about definitions of servers' tools that look wrong",
  },
  {
    name: 'root',
    value: 'DIR',
    list: true,
    about: 'Folders that files, git, commands and analysis are confined to; default: the current directory',
  },
  { name: 'read-only', about: 'Hide every tool that writes' },
  { name: 'sandbox', about: 'Run git in bubblewrap, where nothing outside the roots exists (Linux, bwrap installed)' },
  { name: 'allow-command', value: 'PATTERN', list: true, about: 'Commands that run_command may run; * allows all' },
  {
    name: 'allow-remote',
    about: 'Serve git_fetch, git_pull and git_push: https, ssh, and repositories inside the roots',
  },
  {
    name: 'remote-url',
    value: 'PATTERN',
    list: true,
    about: 'Allow only remotes at these addresses, such as https://github.com/me/*; switches --allow-remote on',
  },
  { name: 'repository-above', about: 'Let git tools use the repository that a root lies in, with all of its history' },
  { name: 'pass-env', value: 'NAME', list: true, about: 'Environment variables that commands and builds may see' },
  { name: 'templates', value: 'DIR', list: true, about: 'Folders with more project templates' },
  { name: 'data', value: 'DIR', about: 'Folder for data sets; default: the data folder of the platform' },
  {
    name: 'timeout',
    value: 'TIME',
    default: '30s',
    about: 'Longest time a call may take: 500ms, 30s, 2m, or off; unless set, builds may take longer',
  },
  {
    name: 'rate-limit',
    value: 'BURST/RATE',
    default: '1000/100',
    about: 'Calls a client may make at once, and per second; or off',
  },
  { name: 'max-inflight', value: 'N', default: '128', about: 'Most calls of one client that run at the same time' },
  { name: 'max-request', value: 'SIZE', default: '10mb', about: 'Largest request: bytes, or with kb, mb, gb' },
  { name: 'max-response', value: 'SIZE', default: '10mb', about: 'Largest result: bytes, or with kb, mb, gb' },
  {
    name: 'result-budget',
    value: 'TOKENS',
    default: '20000',
    about: 'Tokens the text of a result may have; of more an excerpt is shown, and the whole can be read; or off',
  },
  {
    name: 'repair',
    value: 'MODE',
    choices: ['on', 'off'],
    default: 'on',
    about: 'Take arguments such as "5" for 5 where the schema refuses them and nothing is lost, or refuse them',
  },
  {
    name: 'lifecycle',
    value: 'MODE',
    choices: ['strict', 'lenient'],
    about: 'Refuse requests before the handshake (strict) or serve them; default: strict on stdio, lenient over HTTP',
  },
  {
    name: 'audit',
    value: 'FILE',
    default: 'off',
    about: 'Write one JSON line per tool call to a file or stderr; or off',
  },
  {
    name: 'mask',
    value: 'MODE',
    choices: ['on', 'off', 'strict'],
    default: 'on',
    about: 'Mask what looks like a secret in logs of builds and diffs, in no result, or in all (strict)',
  },
  { name: 'mask-results', about: 'The same as --mask strict' },
  { name: 'spotlight', about: 'Fence what programs, git and other servers wrote, so that a model can tell it is data' },
  {
    name: 'log-level',
    value: 'LEVEL',
    choices: ['debug', 'info', 'warn', 'error', 'silent'],
    default: 'info',
    about: 'Least severe messages to log on stderr',
  },
  { name: 'config', value: 'FILE', about: 'Read flags from a JSON file, the names as keys' },
  { name: 'lenient', about: 'Skip rows that cannot be read, and import the others (cassini import)' },
  {
    name: 'json',
    value: 'OBJECT',
    only: ['call'],
    about: 'Arguments as a JSON object; - reads standard input (call)',
  },
  {
    name: 'json',
    only: ['list', 'describe', 'servers', 'lock', 'store'],
    about: 'Print JSON (list, describe, servers, lock, store)',
  },
  { name: 'tokens', about: 'Show about how many tokens each definition costs a model (list)' },
  { name: 'help', about: 'Show help' },
  { name: 'version', about: 'Show the version' },
]
