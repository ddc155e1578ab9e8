import { expect } from 'vitest'
import { answered, failed, inAll, noAnswer, noHandshake, noMessage, plainPlaces, unlikeClients, unread } from './row.ts'
import type { Document, Exceptions, Row } from './row.ts'
import { threats as statements } from './statements/threats.ts'
import { FOUND, JOBS, TOOLS, WELCOME, call, command, hello, list, ready, toolResult } from './tmkb.ts'

const examples: readonly Row[] = [
  {
    title: 'initialize',
    at: 'new',
    say: hello(1),
    answer: answered(1, WELCOME),
    but: { '/mcp stateless': noHandshake(1) },
  },
  {
    title: 'notifications/initialized',
    at: 'initialized',
    last: true,
    say: ready,
    answer: 'silence',
    but: noAnswer,
  },
  {
    title: 'initialize with a version that is not supported is answered with the latest',
    at: 'new',
    say: hello(1, '1.0'),
    answer: answered(1, WELCOME),
    but: { '/mcp stateless': noHandshake(1), ...unlikeClients('A client chooses the version itself') },
  },
  {
    title: 'initialize with an older version',
    at: 'new',
    say: hello(1, '2025-06-18'),
    answer: answered(1, expect.objectContaining({ protocolVersion: '2025-06-18' })),
    but: { '/mcp stateless': noHandshake(1), ...unlikeClients('A client chooses the version itself') },
  },
  { title: 'tools/list', say: list, answer: answered(2, TOOLS) },
  {
    title: 'tools/call',
    say: call(JOBS),
    answer: toolResult(FOUND, false),
    log: '[INFO] [req_id=3] Query executed successfully: 1 patterns returned',
  },
  {
    title: 'tools/call that finds three patterns',
    say: call({ context: 'celery worker task queue for tenant organization' }, 'tmkb_query', 4),
    answer: toolResult(expect.stringMatching(/^\{"pattern_count":3,.*"patterns":\[/), false, 4),
    log: '[INFO] [req_id=4] Query executed successfully: 3 patterns returned',
  },
  {
    title: 'verbosity agent, the default',
    say: call({ ...JOBS, verbosity: 'agent' }),
    answer: toolResult(FOUND, false),
  },
  {
    title: 'verbosity human',
    say: call({ ...JOBS, verbosity: 'human' }),
    answer: toolResult(
      expect.stringMatching(/^\{\s+"pattern_count": 1,\s+"patterns_included": 1,\s+"verbose_patterns": /),
      false,
    ),
  },
]

const execution: readonly Row[] = [
  {
    title: 'an invalid language',
    say: call({ context: 'x', language: 'java' }),
    answer: toolResult("Invalid language 'java'. Supported languages: python", true),
    log: '[ERROR] [req_id=3] Invalid language parameter: java',
  },
  {
    title: 'an invalid framework',
    say: call({ context: 'x', framework: 'django' }),
    answer: toolResult("Invalid framework 'django'. Supported frameworks: flask, any", true),
    log: '[ERROR] [req_id=3] Invalid framework parameter: django',
  },
  {
    title: 'an invalid verbosity',
    say: call({ context: 'x', verbosity: 'loud' }),
    answer: toolResult("Invalid verbosity 'loud'. Supported values: agent, human", true),
    log: '[ERROR] [req_id=3] Invalid verbosity parameter: loud',
  },
  { title: 'no context', say: call({}), answer: toolResult('context parameter is required', true) },
  { title: 'no arguments', say: call(undefined), answer: toolResult('context parameter is required', true) },
  { title: 'an empty context', say: call({ context: '' }), answer: toolResult('context must be non-empty', true) },
  { title: 'a blank context', say: call({ context: ' \t\n ' }), answer: toolResult('context must be non-empty', true) },
  {
    title: 'an unknown parameter',
    say: call({ context: 'x', contxt: 1 }),
    answer: toolResult(
      "Unknown parameter 'contxt'. Supported parameters: context, language, framework, verbosity",
      true,
    ),
  },
  {
    title: 'an error of the query engine, sanitized',
    broken: true,
    say: call(JOBS),
    answer: toolResult('The knowledge base cannot be read', true),
    log: '[ERROR] [req_id=3] The knowledge base cannot be read',
  },
]

const tooEarly = { code: -32600, message: 'Server not initialized. Send initialized notification first.' }

/** Where there is no handshake nothing can come before it. */
const servedEarly = (answer: object): Exceptions => ({
  ...inAll(plainPlaces, { why: 'Plain JSON-RPC has no handshake', answer }),
  '/mcp stateless': { why: 'The revision without sessions has no handshake', answer },
  ...unlikeClients('A client completes the handshake before it lets anybody ask'),
})

const lifecycle: readonly Row[] = [
  {
    title: 'a second initialize',
    last: true,
    say: hello(5),
    answer: failed(5, { code: -32600, message: 'Already initialized' }),
    but: {
      ...inAll(plainPlaces, { why: 'Plain JSON-RPC does not remember the first', answer: answered(5, WELCOME) }),
      '/mcp stateless': noHandshake(5),
      'clients without a session': { why: 'The client itself refuses to send it' },
      'client 2 over Streamable HTTP, legacy': {
        why: 'The client leaves the session out of it, which opens another',
        answer: answered(5, WELCOME),
      },
    },
  },
  {
    title: 'tools/list before initialize',
    at: 'new',
    say: list,
    answer: failed(2, tooEarly),
    but: {
      ...servedEarly(answered(2, TOOLS)),
      '/mcp': {
        why: 'Streamable HTTP refuses by itself what names no session',
        answer: failed(2, { code: -32000, message: expect.stringContaining('Begin with initialize') }),
      },
    },
  },
  {
    title: 'ping before initialize',
    at: 'new',
    say: { jsonrpc: '2.0', id: 2, method: 'ping' },
    answer: answered(2, {}),
    but: {
      '/mcp': {
        why: 'Streamable HTTP refuses by itself what names no session',
        answer: failed(2, { code: -32000, message: expect.stringContaining('Begin with initialize') }),
      },
      '/mcp stateless': {
        why: 'The revision without sessions has no ping',
        answer: failed(2, { code: -32601, message: 'Method not found: ping' }),
      },
      ...unlikeClients('A client completes the handshake before it lets anybody ask'),
    },
  },
  {
    title: 'tools/list between initialize and initialized',
    at: 'initialized',
    say: list,
    answer: failed(2, tooEarly),
    but: servedEarly(answered(2, TOOLS)),
  },
  {
    title: 'tools/call between initialize and initialized',
    at: 'initialized',
    say: call(JOBS),
    answer: failed(3, tooEarly),
    but: servedEarly(toolResult(FOUND, false)),
  },
]

const wrongParams: object = { code: -32602, message: expect.stringMatching(/^Invalid params: /) }
const tooLarge = unread(
  expect.objectContaining({ code: -32600, message: expect.stringContaining('at most 10485760 bytes') }),
)

const protocol: readonly Row[] = [
  {
    title: 'an unknown tool',
    say: call({}, 'invalid_tool_name'),
    answer: failed(3, { code: -32602, message: 'Unknown tool: invalid_tool_name' }),
    log: '[ERROR] [req_id=3] Unknown tool: invalid_tool_name',
  },
  {
    title: 'the tool’s name in another case',
    say: call({ context: 'x' }, 'TMKB_QUERY'),
    answer: failed(3, { code: -32602, message: 'Unknown tool: TMKB_QUERY' }),
  },
  {
    title: 'an unknown method',
    say: { ...list, method: 'nonsense' },
    answer: failed(2, { code: -32601, message: 'Method not found: nonsense' }),
    log: '[ERROR] [req_id=2] Method not found: nonsense',
  },
  { title: 'parameters of the wrong type', say: call({}, 5), answer: failed(3, wrongParams), but: noMessage },
  {
    title: 'initialize with parameters of the wrong type',
    at: 'new',
    say: hello(1, 5),
    answer: failed(1, wrongParams),
    but: { ...noMessage, '/mcp stateless': noHandshake(1) },
  },
  ...([undefined, {}, { capabilities: {} }] as const).map((params): Row => ({
    title: `initialize with ${params === undefined ? 'no parameters' : `the parameters ${JSON.stringify(params)}`}`,
    at: 'new',
    say: { jsonrpc: '2.0', id: 1, method: 'initialize', ...(params && { params }) },
    answer: failed(1, wrongParams),
    but: { ...noMessage, '/mcp stateless': noHandshake(1) },
  })),
  {
    title: 'malformed JSON',
    say: '{"jsonrpc": "2.0", "id": 3,',
    log: '[ERROR] [req_id=-] Parse error',
    ...unread(expect.objectContaining({ code: -32700, message: 'Parse error' })),
  },
  {
    title: 'no version of JSON-RPC',
    say: { id: 2, method: 'tools/list' },
    answer: failed(2, { code: -32600, message: 'Invalid Request: "jsonrpc" must be "2.0"' }),
    but: noMessage,
  },
  {
    title: 'no method',
    say: { jsonrpc: '2.0', id: 2 },
    answer: failed(2, { code: -32600, message: 'Invalid Request: "method" must be a string' }),
    log: '[ERROR] [req_id=2] Invalid Request: "method" must be a string',
    but: noMessage,
  },
  {
    title: 'no id but null',
    say: { ...list, id: null },
    answer: failed(undefined, { code: -32600, message: 'Invalid Request: "id" must be a string or an integer' }),
    but: {
      ...inAll(plainPlaces, { why: 'JSON-RPC 2.0 itself takes it for an id', answer: answered(null, TOOLS) }),
      ...noMessage,
    },
  },
  {
    // The document has an error here, and silence in the line below; the JSON-RPC it names has silence.
    title: 'no id at all',
    say: { jsonrpc: '2.0', method: 'tools/list' },
    answer: 'silence',
    but: noAnswer,
  },
  {
    title: 'a notification nobody knows',
    say: { jsonrpc: '2.0', method: 'notifications/unknown' },
    answer: 'silence',
    but: noAnswer,
  },
  {
    title: 'a message of more than 10 MB',
    last: true,
    say: call({ context: 'x'.repeat(10 * 1024 * 1024) }),
    ...tooLarge,
    but: {
      ...tooLarge.but,
      '/ws': { why: 'The socket is closed instead, with the code for what is too large', answer: { closed: 1009 } },
      ...unlikeClients('Refused unread, so under no id: a client cannot know whose answer it is'),
    },
  },
]

/** The design document of the threat knowledge base: every example, every rule of validation, every edge case. */
export const threats: Document = {
  name: 'threats',
  statements,
  usual: 'ready',
  stages: { new: [], initialized: [hello(1)], ready: [hello(1), ready] },
  rows: [...examples, ...execution, ...lifecycle, ...protocol],
  command,
}
