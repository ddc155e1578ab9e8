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
}

/** A command, and what it takes. */
export interface Command {
  readonly name: string
  readonly usage: string
  readonly about: string
  readonly flags: readonly string[]
  /** Takes words besides flags. */
  readonly words?: boolean
}

/** Every flag there is. */
export const flags: readonly Flag[] = [
  { name: 'stdio', about: 'Serve on standard input and output (the default)' },
  { name: 'http', about: 'Serve over HTTP: /mcp, /sse, /ws, /rpc' },
  { name: 'transport', value: 'NAME', choices: ['stdio', 'http'], about: 'The same as --stdio or --http' },
  { name: 'host', value: 'ADDRESS', default: '127.0.0.1', about: 'Where to listen' },
  { name: 'port', value: 'N', default: '5000', about: 'On which port; 0 picks a free one' },
  { name: 'token-file', value: 'FILE', about: 'Let in only who has a token in this file' },
  { name: 'allow-anonymous', about: 'Listen beyond this machine without tokens' },
  { name: 'allow-origin', value: 'ORIGIN', list: true, about: 'Web pages that may use the server' },
  { name: 'max-connections', value: 'N', default: '4096', about: 'Connections at once' },
  { name: 'max-sessions', value: 'N', default: '10000', about: 'Sessions at once' },
  { name: 'preset', value: 'NAME', default: 'all', about: 'Packs, identity, limits and error codes of one system' },
  { name: 'pack', value: 'NAME', list: true, about: 'Packs to serve, instead of the preset’s' },
  { name: 'tools', value: 'NAME', list: true, about: 'Serve only these tools' },
  { name: 'exclude-tools', value: 'NAME', list: true, about: 'Do not serve these tools' },
  { name: 'tools-dir', value: 'DIR', list: true, about: 'Serve what the modules of this folder export, too' },
  {
    name: 'root',
    value: 'DIR',
    list: true,
    about: 'Folders that files, git, commands and analysis stay in; here, unless told',
  },
  { name: 'read-only', about: 'Serve no tool that writes' },
  { name: 'allow-command', value: 'PATTERN', list: true, about: 'Commands that run_command may run; * for all' },
  { name: 'pass-env', value: 'NAME', list: true, about: 'Variables that commands and builds see besides the usual' },
  { name: 'templates', value: 'DIR', list: true, about: 'More project templates' },
  { name: 'data', value: 'DIR', about: 'Where data sets are kept (default: the platform’s data folder)' },
  { name: 'timeout', value: 'TIME', default: '30s', about: 'Longest a call may take: 500ms, 30s, 2m, or off' },
  {
    name: 'rate-limit',
    value: 'BURST/RATE',
    default: '1000/100',
    about: 'Calls per client: burst and per second, or off',
  },
  { name: 'max-inflight', value: 'N', default: '128', about: 'Calls of one client that run at once' },
  { name: 'max-request', value: 'SIZE', default: '10mb', about: 'Longest request: bytes, or with kb, mb, gb' },
  { name: 'max-response', value: 'SIZE', default: '10mb', about: 'Largest result' },
  {
    name: 'lifecycle',
    value: 'MODE',
    choices: ['strict', 'lenient'],
    about: 'Whether requests before the handshake are refused; unless told, they are on stdio and not over HTTP',
  },
  { name: 'audit', value: 'FILE', default: 'off', about: 'One JSON line per tool call, to a file or stderr, or off' },
  { name: 'mask-results', about: 'Mask what looks like a secret in results too, not only in the log and the audit' },
  {
    name: 'log-level',
    value: 'LEVEL',
    choices: ['debug', 'info', 'warn', 'error', 'silent'],
    default: 'info',
    about: 'How much is logged on stderr',
  },
  { name: 'config', value: 'FILE', about: 'A JSON file with any of these flags as keys' },
  { name: 'lenient', about: 'Import what can be read, and leave out the other rows (cassini import)' },
  { name: 'json', value: 'OBJECT', about: 'The arguments of a call, as JSON' },
  { name: 'help', about: 'Show this' },
  { name: 'version', about: 'Show the version' },
]

const PACKS = [
  'preset',
  'pack',
  'tools',
  'exclude-tools',
  'tools-dir',
  'root',
  'read-only',
  'allow-command',
  'pass-env',
  'templates',
  'data',
]
const SERVING = [...PACKS, 'config', 'log-level', 'help', 'version']
const LIMITS = [
  'timeout',
  'rate-limit',
  'max-inflight',
  'max-request',
  'max-response',
  'lifecycle',
  'audit',
  'mask-results',
]

const HTTP = ['host', 'port', 'token-file', 'allow-anonymous', 'allow-origin', 'max-connections', 'max-sessions']

/** Every command there is. */
export const commands: readonly Command[] = [
  {
    name: 'serve',
    usage: 'causeway [serve] [--stdio | --http] [flags]',
    about: 'Serve tools to an MCP client',
    flags: ['stdio', 'http', 'transport', ...SERVING, ...LIMITS, ...HTTP],
  },
  { name: 'list', usage: 'causeway list [flags]', about: 'Show the tools that would be served', flags: SERVING },
  {
    name: 'call',
    usage: 'causeway call TOOL [key=value …] [flags]',
    about: 'Call one tool and print its result',
    flags: [...SERVING, 'timeout', 'json'],
    words: true,
  },
  {
    name: 'cassini',
    usage: 'causeway cassini import FILE.csv [--lenient] [--data DIR]',
    about: 'Load the public master plan of the Cassini mission',
    flags: ['data', 'lenient', 'help', 'version'],
    words: true,
  },
  {
    name: 'threats',
    usage: 'causeway threats validate [DIR]',
    about: 'Check the files of a threat knowledge base',
    flags: ['help', 'version'],
    words: true,
  },
  {
    name: 'token',
    usage: 'causeway token NAME',
    about: 'Make a token, and the line for --token-file that lets it in',
    flags: ['help', 'version'],
    words: true,
  },
]
