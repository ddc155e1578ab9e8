import { expect } from 'vitest'
import { answered, failed, inAll, unread } from './row.ts'
import type { Document, Row } from './row.ts'
import { workstation as statements } from './statements/workstation.ts'

const ask = (id: number, method: string, params?: object): object => ({
  jsonrpc: '2.0',
  id,
  method,
  ...(params && { params }),
})
const call = (name: string, args: object, id = 2): object => ask(id, 'tools/call', { name, arguments: args })

const READ: unknown = expect.objectContaining({
  name: 'read_file',
  description: expect.any(String) as string,
  inputSchema: expect.objectContaining({
    type: 'object',
    properties: expect.objectContaining({ path: expect.objectContaining({ type: 'string' }) }),
    required: ['path'],
  }),
})
const TOOLS = { tools: expect.arrayContaining([READ]) as object }

const error = (code: number, message: RegExp): object =>
  expect.objectContaining({ code, message: expect.stringMatching(message) as string })

const ON_MCP: Row = {
  title: 'tools/list on /mcp',
  say: ask(1, 'tools/list'),
  answer: failed(1, error(-32000, /Begin with initialize/)),
  but: inAll(['stdio', '/rpc'], { why: 'It is about /mcp' }),
}
const SESSION = { why: 'Streamable HTTP wants a session' }

const apart = (row: Row): Row => ({ ...row, but: { ...row.but, '/mcp': SESSION } })

const rows: readonly Row[] = [
  { title: 'tools/list as the first message', at: 'new', say: ask(1, 'tools/list'), answer: answered(1, TOOLS) },
  { title: 'tools/list', say: ask(1, 'tools/list'), answer: answered(1, TOOLS) },
  {
    title: 'tools/call',
    say: call('filesystem/read', { path: 'a.txt' }),
    answer: answered(2, { content: [{ type: 'text', text: 'hello\n' }] }),
  },
  ...[
    ['a file of many lines', 'lines.txt', 'a line\n'.repeat(5000)],
    ['a file of one long line', 'long.json', JSON.stringify({ text: 'x'.repeat(5000) })],
  ].map(([title = '', path, text]) => ({
    title,
    say: call('filesystem/read', { path }),
    answer: answered(2, { content: [{ type: 'text', text }] }),
  })),
  ...['1.0', '1.0.0', '2025-06-18', '2025-11-25'].map(version => ({
    title: `initialize with version ${version}`,
    at: 'new' as const,
    say: ask(1, 'initialize', { protocolVersion: version, capabilities: {} }),
    answer: answered(
      1,
      expect.objectContaining({
        protocolVersion: version.startsWith('1') ? '2025-11-25' : version,
        capabilities: { tools: {} },
      }),
    ),
  })),
  { title: 'a parse error', say: '{"jsonrpc":', ...unread(error(-32700, /^Parse error/), ['/rpc', 'stdio']) },
  {
    title: 'an invalid request',
    say: { id: 1, method: 'tools/list' },
    answer: failed(1, error(-32600, /^Invalid Request: /)),
  },
  {
    title: 'an unknown tool',
    say: call('reed_file', {}),
    answer: failed(2, {
      code: -32601,
      message: "Method not found: there is no tool 'reed_file'",
      data: { suggestions: ['read_file', 'read_files'], hint: "Did you mean 'read_file' or 'read_files'?" },
    }),
  },
  {
    title: 'invalid parameters',
    say: call('read_file', { pth: 'a.txt' }),
    answer: failed(2, error(-32602, /^Invalid params: Invalid arguments for tool 'read_file'/)),
  },
  {
    title: 'a path out of the root',
    say: call('read_file', { path: '../a.txt' }),
    answer: failed(2, error(-32602, /^Invalid params: Parameter 'path' leads outside the allowed directories/)),
  },
  {
    title: 'a tool that fails',
    say: call('read_file', { path: 'nope.txt' }),
    answer: failed(2, error(-32603, /^Internal error: No such file or directory: 'nope.txt'/)),
  },
  {
    title: 'a call that takes too long',
    broken: true,
    say: call('run_command', { command: 'sleep 20' }),
    answer: failed(2, error(-32000, /^Tool execution timeout$/)),
  },
]

/** The specification of the workstation servers: no handshake, stdio and HTTP. */
export const workstation: Omit<Document, 'command'> = {
  name: 'workstation',
  statements,
  places: ['stdio', '/rpc', '/mcp'],
  usual: 'initialized',
  stages: { new: [], initialized: [], ready: [] },
  // On /mcp there is a session first, as the protocol has it: one row says so.
  rows: [ON_MCP, ...rows.map(apart)],
}
