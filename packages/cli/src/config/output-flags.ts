/** The flags of commands that print something and end, a row each. */
export const OUTPUT_FLAGS = [
  { name: 'lenient', about: 'Skip rows that cannot be read, and import the others (cassini import)' },
  { name: 'args', value: 'OBJECT', about: 'Arguments as a JSON object; - reads standard input (call)' },
  { name: 'json', about: 'Print JSON, for programs' },
  { name: 'sarif', about: 'Print the findings as SARIF, for code scanning (inspect)' },
  { name: 'quiet', about: 'Print only the result: no progress, no messages of servers' },
  {
    name: 'scope',
    value: 'NAME',
    list: true,
    only: ['token'],
    about: 'What the token allows; operator: the console, /metrics and /health/upstreams (token)',
  },
  {
    name: 'scope',
    value: 'SCOPE',
    only: ['install', 'uninstall'],
    choices: ['user', 'project'],
    default: 'user',
    about: 'Which file of the client: that of the user, or that of the project in this folder (install)',
  },
  { name: 'url', value: 'URL', only: ['install'], about: 'Let the client use the server at this URL (install)' },
  {
    name: 'url',
    value: 'URL',
    only: ['list', 'describe', 'call', 'read', 'prompt', 'inspect', 'completion', 'record'],
    about: 'Use the MCP server at this URL: http, https, ws or wss',
  },
  { name: 'command', value: '"COMMAND"', about: 'Start this command, and use it as the MCP server' },
  { name: 'header', value: '"NAME: VALUE"', about: 'Header to send to --url; may be repeated' },
  { name: 'token-env', value: 'NAME', about: 'Send the token in this environment variable to --url' },
  {
    name: 'schema',
    value: 'KIND',
    choices: ['zod', 'json'],
    default: 'zod',
    about: 'How schemas are written: with Zod, or as JSON Schema (new)',
  },
  { name: 'out', value: 'FILE', about: 'Where to keep the transcript (record)' },
  { name: 'against', value: 'SERVER', about: 'Play the transcript to this URL or command (replay)' },
  { name: 'serve', value: 'FILE', about: 'Serve what was recorded in this transcript (replay)' },
  { name: 'all', only: ['install', 'uninstall'], about: 'Every client found on this machine (install)' },
  { name: 'yes', about: 'Do not ask (install --all)' },
  { name: 'fix', about: 'Fix what can be fixed safely (doctor)' },
  { name: 'dry-run', about: 'Show what would change, and write nothing (install, uninstall)' },
  { name: 'tokens', about: 'Show about how many tokens each definition costs (list)' },
] as const

/** The flags of every command. */
export const GENERAL_FLAGS = [
  { name: 'help', about: 'Show help' },
  { name: 'version', about: 'Show the version' },
] as const
