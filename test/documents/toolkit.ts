import { expect } from 'vitest'
import { answered, failed, unread } from './row.ts'
import type { Document, Row } from './row.ts'
import { toolkit as statements } from './statements/toolkit.ts'

type Id = string | number

const ask = (id: Id, method: string, params: object = {}): object => ({ jsonrpc: '2.0', id, method, params })
const call = (name: string, args: object, id: Id = '4'): object => ask(id, 'tools/call', { name, arguments: args })
const hello = ask('1', 'initialize', {
  protocolVersion: '2024-11-05',
  capabilities: {},
  clientInfo: { name: 'claude-code', version: '1.0.0' },
})
const ready = { jsonrpc: '2.0', method: 'notifications/initialized' }

const error = (code: number, message: RegExp): object =>
  expect.objectContaining({ code, message: expect.stringMatching(message) as string })
const text = (pattern: RegExp): object =>
  expect.objectContaining({ content: [{ type: 'text', text: expect.stringMatching(pattern) as string }] })

const WELCOME = {
  protocolVersion: '2024-11-05',
  capabilities: { tools: {}, resources: {}, prompts: {} },
  serverInfo: { name: 'paiml-mcp-agent-toolkit', version: '0.5.3' },
}
const TOOLS = {
  tools: expect.arrayContaining([
    expect.objectContaining({
      name: 'generate_template',
      description: 'Generate a template from a URI',
      inputSchema: expect.objectContaining({
        type: 'object',
        properties: {
          resource_uri: { type: 'string', description: 'Template URI (e.g., template://makefile/rust/cli)' },
          parameters: { type: 'object', description: 'Template parameters' },
        },
        required: ['resource_uri', 'parameters'],
      }) as object,
    }),
  ]) as object,
}
const RESOURCES = {
  resources: expect.arrayContaining([
    expect.objectContaining({
      uri: 'template://makefile/rust/cli',
      name: 'Rust CLI Makefile',
      description: 'Professional Makefile template for Rust CLI projects',
      mimeType: 'text/x-makefile',
    }),
  ]) as object,
}
const PROMPTS = {
  prompts: expect.arrayContaining([expect.objectContaining({ name: 'scaffold-rust-project' })]) as object,
}
const MAKEFILE = 'template://makefile/rust/cli'
const GENERATED = text(/^# my-project: .*cargo/s)
const generate = (resource_uri: string, parameters: object): object =>
  call('generate_template', { resource_uri, parameters })
const ANALYSE = { project_path: '.', toolchain: 'rust', format: 'json' }

const examples: readonly Row[] = [
  { title: 'initialize', at: 'new', say: hello, answer: answered('1', WELCOME) },
  { title: 'tools/list', say: ask('2', 'tools/list'), answer: answered('2', TOOLS) },
  { title: 'resources/list', say: ask('3', 'resources/list'), answer: answered('3', RESOURCES) },
  { title: 'prompts/list', say: ask('p', 'prompts/list'), answer: answered('p', PROMPTS) },
  {
    title: 'prompts/get',
    say: ask('p', 'prompts/get', {
      name: 'scaffold-rust-project',
      arguments: { project_name: 'my-project', project_type: 'cli' },
    }),
    answer: answered('p', expect.objectContaining({ messages: [expect.objectContaining({ role: 'user' })] })),
  },
  {
    title: 'resources/read',
    say: ask('r', 'resources/read', { uri: MAKEFILE }),
    answer: answered('r', {
      contents: [{ uri: MAKEFILE, mimeType: 'text/x-makefile', text: expect.stringContaining('cargo') as string }],
    }),
  },
  {
    title: 'tools/call',
    say: generate(MAKEFILE, { project_name: 'my-project', has_tests: true }),
    answer: answered('4', GENERATED),
  },
  {
    title: 'tools/list without initialized',
    at: 'initialized',
    say: ask('2', 'tools/list'),
    answer: answered('2', TOOLS),
  },
  {
    title: 'resources/list without initialized',
    at: 'initialized',
    say: ask('3', 'resources/list'),
    answer: answered('3', RESOURCES),
  },
  {
    title: 'analyze_complexity as a method',
    say: ask(1, 'analyze_complexity', { ...ANALYSE, top_files: 5 }),
    answer: answered(
      1,
      expect.objectContaining({
        summary: expect.any(Object) as object,
        violations: expect.any(Array) as object,
        top_files: {
          requested: 5,
          returned: 1,
          rankings: [
            {
              rank: 1,
              file: expect.stringContaining('main.rs') as string,
              function_count: 2,
              max_cyclomatic: 3,
              avg_cognitive: expect.any(Number) as number,
              halstead_effort: expect.any(Number) as number,
              total_score: expect.any(Number) as number,
            },
          ],
        },
      }),
    ),
  },
]

const tools: readonly Row[] = [
  {
    title: 'list_templates by toolchain',
    say: call('list_templates', { toolchain: 'rust' }),
    answer: answered('4', text(/^\[\{"uri":"template:\/\/makefile\/rust\/cli".*"toolchain":"rust"/)),
  },
  {
    title: 'list_templates by category',
    say: call('list_templates', { category: 'readme' }),
    answer: answered('4', text(/^\[\{"uri":"template:\/\/readme\//)),
  },
  {
    title: 'validate_template: valid',
    say: call('validate_template', { resource_uri: MAKEFILE, parameters: { project_name: 'p' } }),
    answer: answered('4', text(/^\{"valid":true,"errors":\[\]\}$/)),
  },
  {
    title: 'validate_template: errors',
    say: call('validate_template', { resource_uri: MAKEFILE, parameters: {} }),
    answer: answered('4', text(/^\{"valid":false,"errors":\["Missing required parameter 'project_name'/)),
  },
  {
    title: 'generate_template with a parameter that is unknown',
    say: generate(MAKEFILE, { project_name: 'p', bogus: 1 }),
    answer: failed('4', error(-32002, /^Parameter validation failed.*Unknown parameter 'bogus'/)),
  },
  {
    title: 'scaffold_project',
    say: call('scaffold_project', { toolchain: 'rust', templates: ['makefile'], parameters: { project_name: 'p' } }),
    answer: answered('4', text(/^\{"files":\[\{"path":"p\/Makefile","content":"/)),
  },
  {
    title: 'search_templates',
    say: call('search_templates', { query: 'rust', toolchain: 'rust' }),
    answer: answered('4', text(/^\[\{"uri":"template:\/\/\w+\/rust\/cli".*"relevance":\d/)),
  },
  {
    title: 'analyze_complexity of one file',
    say: call('analyze_complexity', { ...ANALYSE, project_path: 'src/main.rs' }),
    answer: answered('4', text(/"total_functions":2/)),
  },
  {
    title: 'half a file',
    say: call('analyze_complexity', { ...ANALYSE, top_files: 1.5 }),
    answer: answered('4', text(/"requested":1,/)),
  },
  {
    title: 'half a day',
    say: call('analyze_code_churn', { project_path: '.', period_days: 30.5 }),
    answer: failed('4', error(-32603, /^Internal error: .*git repository/)),
  },
  {
    title: 'analyze_complexity of Python',
    say: ask(1, 'analyze_complexity', { project_path: 'python', toolchain: 'python-uv', format: 'json', top_files: 1 }),
    answer: answered(
      1,
      expect.objectContaining({
        top_files: expect.objectContaining({ rankings: [expect.objectContaining({ max_cyclomatic: 2 })] }) as object,
      }),
    ),
  },
  {
    title: 'a prompt with an argument that is not allowed',
    say: ask('p', 'prompts/get', {
      name: 'scaffold-rust-project',
      arguments: { project_name: 'p', project_type: 'banana' },
    }),
    answer: failed('p', error(-32602, /^Invalid params: .*project_type.*banana/)),
  },
]

const errors: readonly Row[] = [
  { title: '-32700 Parse error', say: '{"jsonrpc":', ...unread(error(-32700, /^Parse error/), ['stdio']) },
  {
    title: '-32600 Invalid request',
    say: { id: 'x', method: 'tools/list' },
    answer: failed('x', error(-32600, /^Invalid request: /)),
  },
  {
    title: 'a second initialize',
    say: hello,
    answer: failed('1', error(-32600, /^Already initialized$/)),
  },
  {
    title: '-32601 Method not found',
    say: ask('x', 'templates/list'),
    answer: failed('x', error(-32601, /^Method not found: templates\/list$/)),
  },
  {
    title: '-32602 Invalid params',
    say: call('generate_template', {}),
    answer: failed('4', error(-32602, /^Invalid params: Invalid arguments for tool 'generate_template'/)),
  },
  {
    title: '-32603 Internal error',
    broken: true,
    say: call('analyze_complexity', ANALYSE),
    answer: failed('4', error(-32603, /^Internal error/)),
  },
  {
    title: '-32000 Template not found',
    say: generate('template://nope/x/y', {}),
    answer: failed('4', error(-32000, /^Template not found: template:\/\/nope\/x\/y/)),
  },
  {
    title: '-32000 Template not found in resources/read',
    say: ask('r', 'resources/read', { uri: 'template://nope/x/y' }),
    answer: failed('r', error(-32000, /^Template not found: template:\/\/nope\/x\/y/)),
  },
  {
    title: '-32001 Invalid template URI',
    say: generate('template://makefile/../../etc', {}),
    answer: failed('4', error(-32001, /^Invalid template URI: /)),
  },
  ...['bogus', 'http://x/y', 'template://makefile']
    .map(uri => ({ uri, title: '-32001 Invalid template URI in resources/read' }))
    .map(({ uri, title }, i) => ({
      title: i === 0 ? title : `${title}: ${uri}`,
      say: ask('r', 'resources/read', { uri }),
      answer: failed('r', error(-32001, /^Invalid template URI: /)),
    })),
  {
    title: '-32002 Parameter validation failed',
    say: generate(MAKEFILE, {}),
    answer: failed('4', error(-32002, /^Parameter validation failed/)),
  },
]

/** The wire protocol of the agent toolkit: stdio, a strict lifecycle. */
export const toolkit: Omit<Document, 'command'> = {
  name: 'toolkit',
  statements,
  places: ['stdio'],
  usual: 'ready',
  stages: { new: [], initialized: [hello], ready: [hello, ready] },
  rows: [...examples, ...tools, ...errors],
}
