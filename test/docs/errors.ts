import { codes } from '../../packages/engine/src/jsonrpc/errors.ts'
import { EXIT_CODES } from '../../packages/cli/src/config/exit-codes.ts'

interface Explained {
  /** What it means. */
  readonly meaning: string
  /** What it usually comes from. */
  readonly cause: string
  readonly remedy: string
}

/** Every kind of error, in the words of the catalogue. */
const KINDS: Readonly<Record<keyof typeof codes, Explained>> = {
  parse: {
    meaning: 'The message is not JSON',
    cause: 'A truncated message, two messages on one line, or output of a program on the wire',
    remedy: 'Send one JSON message per line or request; write logs to stderr',
  },
  'invalid-request': {
    meaning: 'The JSON is not a JSON-RPC message',
    cause: 'No `jsonrpc: "2.0"`, no method, an id that is neither text nor a whole number, an empty batch',
    remedy: 'Send a request, a notification or a response of JSON-RPC 2.0',
  },
  'method-not-found': {
    meaning: 'The method does not exist in this revision, or nothing here serves it',
    cause: 'A method of another revision, a feature that the server does not offer, a misspelt name',
    remedy: 'Look at the capabilities of the server; the message names what comes close',
  },
  'invalid-params': {
    meaning: 'The parameters of the method are wrong',
    cause: 'A missing or mistyped member beside the arguments of a tool',
    remedy: 'The message names the member and what it must be',
  },
  'invalid-envelope': {
    meaning: 'The `_meta` of a stateless request is incomplete',
    cause: 'A protocol version without the capabilities of the client, or the reverse',
    remedy: 'Send all that 2026-07-28 requires in `_meta`, or begin with `initialize`',
  },
  internal: {
    meaning: 'Something in the server itself went wrong',
    cause: 'A bug in a resource, a prompt, a policy or Causeway',
    remedy: 'Search the log for the reference in the message; the log has the stack',
  },
  'not-initialised': {
    meaning: 'A request came before the handshake',
    cause: 'A client that does not send `initialize` and `notifications/initialized` first',
    remedy: 'Begin with the handshake, or serve with `--lifecycle lenient`',
  },
  'already-initialised': {
    meaning: 'The handshake was made twice in one session',
    cause: 'A client that reconnects without a new session',
    remedy: 'Open a new connection or session',
  },
  'shutting-down': {
    meaning: 'The server is about to end',
    cause: 'SIGTERM, or a rolling update',
    remedy: 'Connect again; another process takes over',
  },
  'unknown-tool': {
    meaning: 'There is no tool of that name for this caller',
    cause: 'A misspelt name, a tool that is not served or not allowed, a list that changed',
    remedy: 'Call `tools/list` or `find_tools` again; the message names what comes close, or which flag hides it',
  },
  'unknown-prompt': {
    meaning: 'There is no prompt of that name for this caller',
    cause: 'As for tools',
    remedy: 'Call `prompts/list` again',
  },
  'invalid-arguments': {
    meaning: 'The arguments do not fit the input schema of the tool',
    cause: 'A missing, mistyped or unknown argument',
    remedy: 'The message has a sentence per argument: what was sent, what is allowed, the nearest value',
  },
  'tool-failed': {
    meaning: 'The tool ran and failed',
    cause: 'What the message says; `Internal error (reference …)` is a bug in the tool',
    remedy: 'Change the arguments, or search the log for the reference',
  },
  timeout: {
    meaning: 'The call took longer than it may',
    cause: 'Long work, a slow server behind the gateway, a queue',
    remedy: 'Ask for less, raise `--timeout`, call `ctx.allowTime(ms)` in the tool, or run it as a task',
  },
  'result-too-large': {
    meaning: 'The result has more bytes than `--max-response`',
    cause: 'A tool that returns everything at once',
    remedy: 'Ask for a part: a page, a range, a filter',
  },
  'resource-not-found': {
    meaning: 'Nothing is behind this URI',
    cause: 'A misspelt URI, or something that was deleted',
    remedy: 'Call `resources/list`; the message names what comes close',
  },
  'rate-limited': {
    meaning: 'The client makes more calls than it may',
    cause: 'A loop, or a limit that is too small for the work',
    remedy: 'Wait as long as `data.retryAfterMs` says, or raise `--rate-limit`',
  },
  busy: {
    meaning: 'All places are taken, and the queue is full or too slow',
    cause: 'More calls at the same time than `--max-inflight`, or memory that is used up',
    remedy: 'Retry later, with fewer calls at the same time',
  },
  'insufficient-scope': {
    meaning: 'The token lacks a scope that the call needs',
    cause: 'A token for less than this',
    remedy: 'Request a token with the scopes in the message; over HTTP it is a 403 that names them',
  },
  'not-allowed': {
    meaning: 'The operator does not let this caller do that',
    cause: 'A rule of `rights`, or a person who did not approve',
    remedy: '`causeway rights explain --who NAME --tool NAME` prints the rule that decides',
  },
  'header-mismatch': {
    meaning: 'A header of HTTP says something else than the message',
    cause: 'A proxy or client that changes one and not the other',
    remedy: 'Send `Mcp-Method`, `Mcp-Name` and `Mcp-Param-…` as the message has it',
  },
  'missing-capability': {
    meaning: 'The call needs something that the client does not declare',
    cause: 'A tool that asks a person or a model, or runs only as a task',
    remedy: 'Use a client that declares what `data.requiredCapabilities` names',
  },
  'unsupported-version': {
    meaning: 'The server does not speak this revision',
    cause: 'A revision that is newer, older or misspelt',
    remedy: 'Use one of those in `data.supported`',
  },
}

const row = (cells: readonly string[]): string => `| ${cells.map(cell => cell.replaceAll('|', '\\|')).join(' | ')} |`

/** The kinds, each with an anchor of its own. */
export function kindTable(): string {
  const rows = Object.entries(KINDS).map(([kind, { meaning, cause, remedy }]) => [
    `<a id="${kind}"></a>\`${kind}\``,
    `\`${codes[kind as keyof typeof codes]}\``,
    meaning,
    cause,
    remedy,
  ])
  const head = ['kind', 'code', 'meaning', 'usual cause', 'remedy']
  return [row(head), row(head.map(() => '---')), ...rows.map(row)].join('\n')
}

/** What the command ends with. */
export const exitTable = (): string =>
  [
    row(['code', 'meaning']),
    row(['---', '---']),
    ...EXIT_CODES.map(({ code, about }) => row([String(code), about])),
  ].join('\n')
