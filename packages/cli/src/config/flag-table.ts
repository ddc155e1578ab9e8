import { AUDIT_FLAGS, RIGHTS_FLAGS } from './operator-commands.ts'
import { DAEMON_FLAGS } from '../daemon/daemon-commands.ts'
import { LOGIN_FLAGS } from '../login/login-flags.ts'
import { GENERAL_FLAGS, OUTPUT_FLAGS } from './output-flags.ts'
import { SOURCE_FLAGS } from '../sources/source-flags.ts'
import { HTTP_FLAGS, TRANSPORT_FLAGS } from './transport-flags.ts'

const OTHER_FLAGS = {
  tools: [
    {
      name: 'preset',
      value: 'NAME',
      default: 'default',
      about: 'Packs, identity, limits and error codes of one system; all lists every tool',
    },
    {
      name: 'pack',
      value: 'NAME',
      list: true,
      about: 'Packs to serve instead of those of the preset; none for no pack',
    },
    { name: 'tools', value: 'NAME', list: true, about: 'Serve only these tools; * matches anything' },
    { name: 'exclude-tools', value: 'NAME', list: true, about: 'Do not serve these tools; * matches anything' },
    {
      name: 'toolset',
      parse: 'toolset',
      value: 'NAME',
      list: true,
      about:
        'Also list these groups of tools: files, git, builds, templates, analysis, cassini, threats, basics, all; unlisted tools can still be called',
    },
    {
      name: 'search',
      value: 'MODE',
      choices: ['auto', 'on', 'off'],
      default: 'auto',
      about:
        'Tools that search for tools: auto adds them if some tools are not listed, on lists only them and the pinned tools (auto does the same above the threshold); off in presets that list every tool',
    },
    {
      name: 'search-threshold',
      parse: 'count',
      value: 'TOKENS',
      default: '10000',
      about: 'Size of the tool list above which search replaces it',
    },
    { name: 'search-promote', about: 'Add tools that a session found to its list, and notify the client' },
    {
      name: 'pin',
      value: 'NAME',
      list: true,
      about: 'Tools or toolsets that stay listed when search replaces the list',
    },
    {
      name: 'servers',
      parse: 'path',
      value: 'FILE',
      list: true,
      about: 'Also serve the MCP servers in this file, in the format of any MCP client',
    },
    {
      name: 'virtual',
      value: 'NAME=PATTERN',
      list: true,
      about: 'Also serve the matching tools alone at /mcp/NAME; join several patterns with +',
    },
    {
      name: 'lock',
      value: 'MODE',
      choices: ['hold', 'strict', 'warn'],
      default: 'hold',
      about: 'If servers differ from mcp.lock: hold what differs, hold the whole server (strict), or only warn',
    },
    {
      name: 'server-instructions',
      value: 'MODE',
      choices: ['on', 'off'],
      default: 'on',
      about: 'Pass on the instructions of servers, quoted, under a heading per server; or off',
    },
    {
      name: 'scan',
      value: 'MODE',
      choices: ['refuse', 'warn', 'off'],
      default: 'warn',
      about: 'What to do with suspicious tools, prompts, resources and instructions of servers',
    },
    {
      name: 'root',
      parse: 'path',
      value: 'DIR',
      list: true,
      about: 'Folders that files, git, commands and analysis are confined to; default: the current directory',
    },
    { name: 'read-only', about: 'Hide every tool that writes' },
    { name: 'sandbox', about: 'Run git in bubblewrap, with no access outside the roots (Linux, needs bwrap)' },
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
    {
      name: 'repository-above',
      about: 'Let git tools use the repository that contains a root, with all of its history',
    },
    {
      name: 'pass-env',
      parse: 'variable',
      value: 'NAME',
      list: true,
      about: 'Environment variables that commands and builds may see',
    },
    { name: 'templates', parse: 'path', value: 'DIR', list: true, about: 'Folders with more project templates' },
    {
      name: 'data',
      value: 'DIR',
      about: 'Folder for data sets, stored logins, and lists and logs of servers; default: the folders of the platform',
    },
  ],
  limits: [
    {
      name: 'timeout',
      parse: 'duration',
      value: 'TIME',
      default: '30s',
      about: 'Longest time a call may take: 500ms, 30s, 2m, or off; unless set, builds may take longer',
    },
    {
      name: 'task-ttl',
      parse: 'duration',
      value: 'TIME',
      default: '24h',
      about:
        'Longest time a task is kept whose client asks for that; an hour, or this if less, for others; or off for no tasks',
    },
    {
      name: 'rate-limit',
      parse: 'rate',
      value: 'BURST/RATE',
      default: '1000/100',
      about: 'Calls a client may make at once, and per second; or off',
    },
    {
      name: 'max-inflight',
      parse: 'count',
      value: 'N',
      default: '128',
      about: 'Most calls of one client that run at the same time',
    },
    {
      name: 'max-request',
      parse: 'size',
      value: 'SIZE',
      default: '10mb',
      about: 'Largest request: bytes, or with kb, mb, gb',
    },
    {
      name: 'max-response',
      parse: 'size',
      value: 'SIZE',
      default: '10mb',
      about: 'Largest result: bytes, or with kb, mb, gb',
    },
    {
      name: 'result-budget',
      parse: 'tokens',
      value: 'TOKENS',
      default: '20000',
      about: 'Longest text of a result, in tokens; a longer one becomes an excerpt with a link to the whole; or off',
    },
    {
      name: 'cache-ttl',
      parse: 'duration',
      value: 'TIME',
      default: 'off',
      about: 'How long clients may keep lists: 30s, 5m, 1h; or off',
    },
    {
      name: 'repair',
      parse: 'toggle',
      value: 'MODE',
      choices: ['on', 'off'],
      default: 'on',
      about: 'Convert arguments such as "5" to 5 if the schema needs it and nothing is lost, or refuse them',
    },
    {
      name: 'lifecycle',
      value: 'MODE',
      choices: ['strict', 'lenient'],
      about: 'Refuse requests before the handshake (strict) or serve them; default: strict on stdio, lenient over HTTP',
    },
    {
      name: 'audit',
      parse: 'fileOrOff',
      value: 'FILE',
      default: 'off',
      about: 'Write a JSON line per call, login and refusal to a file, as a chain of hashes, or to stderr; or off',
    },
    { name: 'audit-size', parse: 'size', value: 'SIZE', about: 'Begin a new audit file when this one is so large' },
    { name: 'audit-age', parse: 'duration', value: 'TIME', about: 'Begin a new audit file when this one is so old' },
    {
      name: 'anchor',
      value: 'FILE|URL',
      about: 'Where the hash of the last audit line is sent every minute and at the end: a file, or a URL (POST)',
    },
    {
      name: 'otlp',
      value: 'URL',
      about: 'Send traces and durations to an OpenTelemetry collector, such as http://127.0.0.1:4318',
    },
    {
      name: 'approve',
      value: 'WHAT',
      list: true,
      about: 'Ask a person before these tools run: destructive, writes, or patterns of names',
    },
    {
      name: 'remember',
      parse: 'duration',
      value: 'TIME',
      default: 'off',
      about: 'Let the person have an approval remembered for so long, for a tool and folder in a session; or off',
    },
    {
      name: 'mask',
      value: 'MODE',
      choices: ['on', 'off', 'strict'],
      default: 'on',
      about: 'Mask secrets in build logs and diffs (on), in no result, or in all results (strict)',
    },
    { name: 'mask-results', about: 'The same as --mask strict' },
    {
      name: 'spotlight',
      about: 'Fence text of files, programs, git and other servers, so that a model knows it is data',
    },
  ],
  settings: [
    {
      name: 'log-level',
      value: 'LEVEL',
      choices: ['debug', 'info', 'warn', 'error', 'silent'],
      default: 'info',
      about: 'Least severe messages to log on stderr',
    },
    {
      name: 'config',
      value: 'FILE',
      about:
        'Read flags from this YAML or JSON file, with their names as keys; default: causeway.yaml or causeway.json in the current directory, which can only restrict what is served; or off',
    },
    {
      name: 'key-file',
      value: 'FILE',
      about:
        'Key that stored logins are sealed with, created on first use; default: credentials.key in the state folder',
    },
  ],
} as const

/**
 * Every flag there is, a row each, in the order of the help; `Config`, help, README and config.schema.json follow from
 * it. Commands take whole groups, see `command-table.ts`.
 */
export const TABLE: {
  readonly transport: typeof TRANSPORT_FLAGS
  readonly http: typeof HTTP_FLAGS
  readonly login: typeof LOGIN_FLAGS
  readonly sources: typeof SOURCE_FLAGS
  readonly rights: typeof RIGHTS_FLAGS
  readonly audit: typeof AUDIT_FLAGS
  readonly daemon: typeof DAEMON_FLAGS
  readonly output: typeof OUTPUT_FLAGS
  readonly general: typeof GENERAL_FLAGS
} & typeof OTHER_FLAGS = {
  transport: TRANSPORT_FLAGS,
  http: HTTP_FLAGS,
  login: LOGIN_FLAGS,
  rights: RIGHTS_FLAGS,
  audit: AUDIT_FLAGS,
  daemon: DAEMON_FLAGS,
  sources: SOURCE_FLAGS,
  ...OTHER_FLAGS,
  output: OUTPUT_FLAGS,
  general: GENERAL_FLAGS,
}

/** Groups of flags that only a command line has. */
export const COMMAND_LINE_ONLY = ['login', 'rights', 'audit', 'daemon', 'output', 'general'] as const
