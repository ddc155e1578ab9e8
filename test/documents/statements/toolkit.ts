import { expect } from 'vitest'
import { totalScore } from '../../../packages/packs/src/toolkit/analysis/ranking.ts'
import { rpcCall, textOf, toolsOf } from '../rpc.ts'
import { check, differs, rows, tested, unverifiable } from '../statement.ts'
import type { Statement } from '../statement.ts'

const TOOLKIT = 'packages/packs/test/toolkit'
const STDIO = 'packages/engine/test/stdio/stdio.test.ts'
const LINES = 'packages/engine/test/stdio/lines.test.ts'
const PRESET = 'packages/cli/test/presets/toolkit.test.ts'
const RANKED = rows('analyze_complexity as a method')

/** A tool takes these arguments, and must be given some of them. */
const takes = (tool: string, properties: readonly string[], required: readonly string[]): ReturnType<typeof check> =>
  check(async world => {
    const found = (await toolsOf(world)).find(({ name }) => name === tool)
    expect(Object.keys(found?.inputSchema.properties ?? {})).toEqual(expect.arrayContaining([...properties]))
    expect(found?.inputSchema.required ?? []).toEqual(required)
  })

/** What the wire protocol of the agent toolkit says. */
export const toolkit: readonly Statement[] = [
  { says: 'JSON-RPC 2.0 over stdio', proof: rows('tools/call') },
  { says: 'lines end with LF', proof: tested(STDIO, 'CRLF, blank lines, a byte order mark, one byte at a time') },
  { says: 'UTF-8 without a byte order mark', proof: tested(LINES, 'a character cut in two is whole again') },
  { says: 'reads of 64 KB', proof: unverifiable('only a tracer of system calls sees it: 65,536 bytes each') },
  { says: 'writes of 8 KB', proof: tested(STDIO, 'a large answer leaves in pieces') },
  {
    says: 'a token bucket',
    proof: tested('packages/engine/test/policies/limits.test.ts', 'a burst is served, then one call per token'),
  },
  {
    says: 'backpressure',
    proof: tested(
      'packages/cli/test/stdio/pipes.test.ts',
      'that does not read for a while gets every answer, and memory does not grow',
    ),
  },
  {
    says: 'the connection flow, without `initialized`',
    proof: rows('tools/list without initialized', 'resources/list without initialized'),
  },
  { says: 'uninitialized, initializing, ready', proof: rows('initialize', 'tools/list') },
  {
    says: 'ready, shutting down',
    proof: tested('packages/cli/test/stdio/pipes.test.ts', 'lets what is in flight finish'),
  },
  {
    says: 'an error closes',
    proof: tested('packages/cli/test/stdio/pipes.test.ts', 'that closes only its reading end ends the service'),
  },
  { says: 'an invalid transition is refused', proof: rows('a second initialize') },
  { says: 'requests, ids as strings', proof: rows('tools/list') },
  { says: 'responses that went well', proof: rows('tools/call') },
  { says: 'responses that did not', proof: rows('-32601 Method not found') },
  { says: 'initialize: version and server', proof: rows('initialize') },
  {
    says: 'initialize: capabilities {}',
    proof: differs(
      'An empty object would hide the tools, resources and prompts that it lists itself: each is declared, without anything else',
      'initialize',
    ),
  },
  { says: 'tools/list', proof: rows('tools/list') },
  { says: 'resources/list', proof: rows('resources/list') },
  { says: 'prompts/list', proof: rows('prompts/list') },
  { says: 'prompts/get gives messages', proof: rows('prompts/get') },
  { says: 'resources/read', proof: rows('resources/read') },
  { says: 'tools/call', proof: rows('tools/call') },
  { says: 'parsing without copies', proof: unverifiable('a means of another language') },
  { says: '128 requests in flight', proof: tested(PRESET, 'has the documented limits') },
  { says: 'responses carry the id of their request', proof: tested(PRESET, 'answers pipelined requests by their ids') },
  { says: 'large responses leave in chunks', proof: tested(STDIO, 'a large answer leaves in pieces') },
  { says: '-32700', proof: rows('-32700 Parse error') },
  { says: '-32600', proof: rows('-32600 Invalid request') },
  { says: '-32601', proof: rows('-32601 Method not found') },
  { says: '-32602, the code', proof: rows('-32602 Invalid params') },
  { says: '-32602 "Invalid params"', proof: rows('-32602 Invalid params') },
  { says: '-32603', proof: rows('-32603 Internal error') },
  { says: '-32000 Template not found', proof: rows('-32000 Template not found') },
  { says: '-32000 in resources/read', proof: rows('-32000 Template not found in resources/read') },
  { says: '-32001 Invalid template URI', proof: rows('-32001 Invalid template URI') },
  { says: '-32002 Parameter validation failed', proof: rows('-32002 Parameter validation failed') },
  {
    says: '-32003 Rate limit exceeded',
    proof: tested(PRESET, 'counts every request: the one after the burst is told when to come back'),
  },
  {
    says: 'generate_template: its arguments',
    proof: takes('generate_template', ['resource_uri', 'parameters'], ['resource_uri', 'parameters']),
  },
  { says: 'generate_template: the content', proof: rows('tools/call') },
  {
    says: 'generate_template validates as validate_template does',
    proof: rows('generate_template with a parameter that is unknown'),
  },
  { says: 'list_templates: toolchain', proof: rows('list_templates by toolchain') },
  { says: 'list_templates: category', proof: rows('list_templates by category') },
  { says: 'list_templates: an array', proof: rows('list_templates by toolchain') },
  { says: 'validate_template: valid', proof: rows('validate_template: valid') },
  { says: 'validate_template: errors', proof: rows('validate_template: errors') },
  {
    says: 'scaffold_project: its arguments',
    proof: takes(
      'scaffold_project',
      ['toolchain', 'templates', 'parameters'],
      ['toolchain', 'templates', 'parameters'],
    ),
  },
  { says: 'scaffold_project: files with path and content', proof: rows('scaffold_project') },
  { says: 'search_templates: query, toolchain', proof: takes('search_templates', ['query', 'toolchain'], ['query']) },
  { says: 'search_templates: relevance', proof: rows('search_templates') },
  {
    says: 'analyze_complexity: its arguments',
    proof: takes(
      'analyze_complexity',
      ['project_path', 'toolchain', 'format', 'max_cyclomatic', 'max_cognitive', 'top_files'],
      ['project_path', 'toolchain'],
    ),
  },
  { says: 'the path to analyse may be a file', proof: rows('analyze_complexity of one file') },
  {
    says: 'analyze_complexity: format',
    proof: check(async world => {
      const report = (format: string) =>
        rpcCall(world, 'analyze_complexity', { project_path: '.', toolchain: 'rust', format })
      const [summary, json] = [await report('summary'), await report('json')].map(textOf)
      expect(JSON.parse(json ?? '')).toMatchObject({ summary: { total_functions: 2 } })
      expect(summary).not.toBe(json)
      expect(summary).toContain('main.rs')
    }),
  },
  {
    says: 'max_cyclomatic',
    proof: tested(
      `${TOOLKIT}/complexity.test.ts`,
      'a given maximum fails above it and warns above three quarters of it',
    ),
  },
  {
    says: 'max_cognitive',
    proof: tested(
      `${TOOLKIT}/complexity.test.ts`,
      'a given maximum fails above it and warns above three quarters of it',
    ),
  },
  {
    says: 'top_files; 0 means all violations',
    proof: tested(`${TOOLKIT}/complexity.test.ts`, 'ranks files as documented, and only if asked to'),
  },
  { says: 'the example as a method', proof: RANKED },
  { says: 'summary, violations, top_files', proof: RANKED },
  { says: 'requested, returned, rankings', proof: RANKED },
  { says: 'the members of a ranking', proof: RANKED },
  {
    says: 'total_score of the example',
    proof: check(() =>
      expect(totalScore({ max_cyclomatic: 32, avg_cognitive: 5.8, function_count: 30 })).toBeCloseTo(30.92, 10),
    ),
  },
  {
    says: 'cyclomatic complexity',
    proof: tested(`${TOOLKIT}/golden/rust.test.ts`, 'every kind of branch: if let, let else, while let, loop, for, ?'),
  },
  {
    says: 'the loop of a comprehension in Python',
    proof: differs(
      'Its condition decides and is counted; the loop itself is not, where radon counts it',
      'analyze_complexity of Python',
    ),
  },
  { says: 'cognitive complexity', proof: tested(`${TOOLKIT}/golden/typescript.test.ts`, 'loops nest') },
  {
    says: 'churn: project_path',
    proof: takes('analyze_code_churn', ['project_path', 'period_days', 'format'], ['project_path']),
  },
  { says: 'churn: 30 days by default', proof: tested(`${TOOLKIT}/churn.test.ts`, 'the period is kept') },
  { says: 'churn: format', proof: tested(`${TOOLKIT}/churn.test.ts`, 'CSV and Markdown have the documented heads') },
  {
    says: 'churn: the figures',
    proof: tested(`${TOOLKIT}/churn.test.ts`, 'counts distinct commits, authors and lines, hottest first'),
  },
  {
    says: 'no heartbeat',
    proof: check(async world => {
      const spawned = world.spawn('--stdio')
      await spawned.initialize('2024-11-05')
      await spawned.request('a', 'ping')
      expect(spawned.lines).toHaveLength(2)
      await spawned.end()
    }),
  },
  {
    says: 'a graceful shutdown completes requests in flight',
    proof: tested('packages/cli/test/stdio/pipes.test.ts', 'lets what is in flight finish'),
  },
  {
    says: 'for at most 30 s',
    proof: tested('packages/cli/test/stdio/pipes.test.ts', 'cuts off what never finishes, and still ends well'),
  },
  { says: 'all inputs are validated', proof: rows('-32602 Invalid params', '-32002 Parameter validation failed') },
  { says: 'arguments of prompts are validated', proof: rows('a prompt with an argument that is not allowed') },
  { says: 'template URIs are sanitized', proof: rows('-32001 Invalid template URI') },
  { says: 'requests of at most 1 MB', proof: tested(PRESET, 'has the documented limits') },
  { says: 'responses of at most 10 MB', proof: tested(PRESET, 'has the documented limits') },
  { says: '128 concurrent requests', proof: tested(PRESET, 'has the documented limits') },
  {
    says: 'bursts of 1000',
    proof: tested(PRESET, 'counts every request: the one after the burst is told when to come back'),
  },
  { says: '100 per second', proof: tested(PRESET, 'has the documented limits') },
  {
    says: '-32001 in resources/read',
    proof: rows(
      '-32001 Invalid template URI in resources/read',
      '-32001 Invalid template URI in resources/read: http://x/y',
      '-32001 Invalid template URI in resources/read: template://makefile',
    ),
  },
  {
    says: 'scaffold_project: the names it describes are those it takes',
    proof: check(async world => {
      const tool = (await toolsOf(world)).find(({ name }) => name === 'scaffold_project')
      const words = String(tool?.inputSchema.properties.templates?.description)
      const templates = words
        .slice(words.indexOf(':') + 1)
        .split(',')
        .map(name => name.trim())
      expect(templates.length).toBeGreaterThan(2)
      for (const toolchain of ['rust', 'deno', 'python-uv']) {
        const args = { toolchain, templates, parameters: { project_name: 'p' } }
        expect(await rpcCall(world, 'scaffold_project', args), toolchain).toMatchObject({ result: { content: [{}] } })
      }
    }),
  },
  { says: 'top_files and period_days are numbers', proof: rows('half a file', 'half a day') },
]
