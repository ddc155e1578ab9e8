import { expect } from 'vitest'
import { answered, failed, plainPlaces, unread } from './row.ts'
import type { Document, Row } from './row.ts'
import { basics as statements } from './statements/basics.ts'

const ask = (id: number | string, method: string, params?: object): object => ({
  jsonrpc: '2.0',
  method,
  id,
  ...(params && { params }),
})
const call = (name: string, args: object | undefined, id = 3): object =>
  ask(id, 'tools/call', { name, ...(args && { arguments: args }) })
const hello = (protocolVersion: string): object =>
  ask(1, 'initialize', {
    protocolVersion,
    capabilities: {},
    clientInfo: { name: 'github-copilot', version: '1.0.0' },
  })
const WELCOME = {
  protocolVersion: '2025-06-18',
  serverInfo: { name: 'mcp-gateway', version: '2.0.0' },
  capabilities: { tools: {} },
}
const error = (code: number, message: RegExp): object =>
  expect.objectContaining({ code, message: expect.stringMatching(message) as string })
const text = (expected: unknown): object => expect.objectContaining({ content: [{ type: 'text', text: expected }] })

const ADD = {
  name: 'add_numbers',
  description: 'Adds two numbers and return result. Example: 5 + 3 = 8',
  inputSchema: {
    type: 'object',
    properties: {
      number1: { type: 'number', description: 'First number to add' },
      number2: { type: 'number', description: 'Second number to add' },
    },
    required: ['number1', 'number2'],
  },
}
const TITLED: unknown = expect.objectContaining({ ...ADD, title: 'Add Numbers' })
const TOOLS = {
  tools: expect.arrayContaining([
    expect.objectContaining(ADD),
    expect.objectContaining({
      name: 'system_ping',
      description: 'Simple ping tool that returns pong with timestamp',
      inputSchema: { type: 'object', properties: {} },
    }),
  ]) as object,
}
const PONG = /^\{"message":"Pong","utcTimestamp":"\d{4}-\d\d-\d\dT[\d:.]+Z","assemblyVersion":"2\.0\.0"\}$/
const BATCH = [ask(1, 'add_numbers', { number1: 5, number2: 3 }), ask(2, 'ping'), { jsonrpc: '2.0', method: 'ping' }]
const BATCHED = [answered(1, { result: 8 }), answered(2, {})]
const EVENTS = { why: 'Each answer of a batch is an event of its own', answer: answered(1, { result: 8 }) }

const rows: readonly Row[] = [
  { title: 'initialize', at: 'new', say: hello('2025-06-18'), answer: answered(1, WELCOME) },
  ...['2025-11-25', '9.9'].map(version => ({
    title: `initialize with version ${version}`,
    at: 'new' as const,
    say: hello(version),
    answer: answered(1, WELCOME),
  })),
  {
    title: 'initialize without parameters',
    at: 'new',
    say: ask(1, 'initialize'),
    answer: answered(1, WELCOME),
  },
  { title: 'tools/list', say: ask(2, 'tools/list'), answer: answered(2, TOOLS) },
  { title: 'tools/list with the id test-1', say: ask('test-1', 'tools/list'), answer: answered('test-1', TOOLS) },
  {
    title: 'titles after the handshake',
    at: 'ready',
    say: ask(2, 'tools/list'),
    answer: answered(2, { tools: expect.arrayContaining([TITLED]) as object }),
    but: Object.fromEntries(plainPlaces.map(door => [door, { why: 'There is no handshake to agree on a revision' }])),
  },
  {
    title: 'tools/call',
    say: call('add_numbers', { number1: 5, number2: 3 }),
    answer: answered(3, text('{"result":8}')),
  },
  {
    title: 'an argument more than it needs',
    say: call('add_numbers', { number1: 5, number2: 3, extra: 1 }),
    answer: answered(3, text('{"result":8}')),
  },
  ...[
    ['ToolInvalidParamsException', -32602, /^Invalid params: Missing required parameter$/] as const,
    ['ToolNotFoundException', -32601, /^Method not found: Tool 'xyz' not found$/] as const,
    ['ToolInternalErrorException', -32603, /^Internal error: Database connection failed$/] as const,
  ].map(([title, code, message]) => ({ title, say: call(title, {}), answer: failed(3, error(code, message)) })),
  {
    title: '4 times 3',
    say: call('multiply_numbers', { number1: 4, number2: 3 }),
    answer: answered(3, text('{"result":12}')),
  },
  { title: 'system_ping', say: call('system_ping', undefined), answer: answered(3, text(expect.stringMatching(PONG))) },
  {
    title: 'system_echo',
    say: call('system_echo', { message: 'hello' }),
    answer: answered(3, text('{"message":"hello"}')),
  },
  { title: 'a notification', say: { jsonrpc: '2.0', method: 'tools/list' }, answer: 'silence' },
  {
    title: 'a batch without a handshake',
    say: BATCH,
    answer: BATCHED,
    but: { 'POST /sse': EVENTS },
  },
  {
    title: 'a batch after the handshake',
    at: 'ready',
    say: BATCH,
    answer: BATCHED,
    but: { 'POST /sse': EVENTS },
  },
  {
    title: '-32700 Parse error',
    say: '{"jsonrpc":',
    ...unread(error(-32700, /^Parse error/), [...plainPlaces, 'stdio', '/ws']),
  },
  {
    title: '-32600 Invalid Request',
    say: { jsonrpc: '1.0', method: 'tools/list', id: 1 },
    answer: failed(1, error(-32600, /^Invalid Request: /)),
  },
  {
    title: '-32601 Method not found: a method',
    say: ask(1, 'tools/unknown'),
    answer: failed(1, error(-32601, /^Method not found: tools\/unknown$/)),
  },
  {
    title: '-32601 Method not found: a tool',
    say: call('xyz', {}),
    answer: failed(3, error(-32601, /^Method not found: there is no tool 'xyz'$/)),
  },
  ...([{}, { number1: 5 }, { number1: 'five', number2: 3 }] as const).map(args => ({
    title: `-32602 Invalid params: ${JSON.stringify(args)}`,
    say: call('add_numbers', args),
    answer: failed(
      3,
      error(-32602, /^Invalid params: Parameters 'number1' and 'number2' are required and must be numbers\.\s/),
    ),
  })),
  {
    title: '-32603 Internal error',
    say: call('multiply_numbers', { number1: 1e308, number2: 10 }),
    answer: failed(3, error(-32603, /^Internal error: The result is beyond/)),
  },
]

/** The protocol document of the gateway: four transports, no handshake needed. */
export const basics: Omit<Document, 'command'> = {
  name: 'basics',
  statements,
  places: ['stdio', '/rpc', 'POST /sse', '/ws'],
  usual: 'initialized',
  stages: {
    new: [],
    initialized: [],
    ready: [hello('2025-06-18'), { jsonrpc: '2.0', method: 'notifications/initialized' }],
  },
  rows,
}
