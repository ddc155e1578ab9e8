import { expect } from 'vitest'
import { workstation as preset } from '../../../packages/cli/src/presets/workstation.ts'
import { ROOT } from '../../support/spawned.ts'
import { snippetOf, startedBy } from '../readme.ts'
import { rpc, rpcCall, toolsOf } from '../rpc.ts'
import { check, differs, rows, tested, unverifiable } from '../statement.ts'
import type { Statement } from '../statement.ts'
import type { World } from '../world.ts'

const PACK = 'packages/packs/test/workstation'
const LIST = rows('tools/list')
const CALL = rows('tools/call')

const describesEveryTool = check(async world => {
  for (const { name, description, inputSchema } of await toolsOf(world)) {
    expect([name, description, inputSchema.type]).toEqual([
      expect.stringMatching(/^\w+$/),
      expect.any(String),
      'object',
    ])
  }
})

const hasTools = (...names: readonly string[]): ReturnType<typeof check> =>
  check(async world => {
    const listed = (await toolsOf(world)).map(({ name }) => name)
    expect(listed).toEqual(expect.arrayContaining([...names]))
  })

/** The shortest of several times, since the machine may be busy. */
async function fastest(ask: () => Promise<unknown>): Promise<number> {
  const times: number[] = []
  for (let i = 0; i < 10; i++) {
    const start = performance.now()
    await ask()
    times.push(performance.now() - start)
  }
  return Math.min(...times)
}

async function overStdio(world: World): Promise<unknown> {
  const spawned = world.spawn('--stdio')
  const answer = await spawned.request(1, 'tools/list')
  await spawned.end()
  return answer.result?.tools
}

/** A call that waits for a place is given up in time too; in the preset the time is 30 s. */
async function waitingCounts(world: World): Promise<void> {
  expect(preset.flags).toMatchObject({ timeout: '30s' })
  const spawned = world.spawn('--stdio', '--max-inflight', '1', '--timeout', '400ms')
  const call = (id: number, command: string): Promise<unknown> =>
    spawned.request(id, 'tools/call', { name: 'run_command', arguments: { command } })
  const late = { error: { code: -32000, message: 'Tool execution timeout' } }
  expect(await Promise.all([call(1, 'sleep 20'), call(2, 'echo at once')])).toMatchObject([late, late])
  await spawned.end()
}

/** What the specification of the workstation servers says. */
export const workstation: readonly Statement[] = [
  {
    says: 'FR-1: protocol version 1.0 or later',
    proof: rows(
      'initialize with version 1.0',
      'initialize with version 1.0.0',
      'initialize with version 2025-06-18',
      'initialize with version 2025-11-25',
    ),
  },
  { says: 'FR-2: tools/list', proof: LIST },
  { says: 'FR-3: tools/call', proof: CALL },
  { says: 'FR-4: JSON-RPC 2.0 for all messages', proof: rows('a parse error', 'an invalid request', 'tools/call') },
  { says: 'FR-5: results or structured errors', proof: rows('tools/call', 'a tool that fails') },
  {
    says: 'NFR-1: 30 seconds, or a timeout error',
    proof: check(waitingCounts),
  },
  {
    says: 'NFR-2: every invocation is logged',
    proof: tested('packages/cli/test/commands/exit-codes.test.ts', '--audit stderr'),
  },
  { says: 'NFR-3: clear, actionable messages', proof: rows('an unknown tool', 'invalid parameters') },
  {
    says: 'NFR-3 in a repository without commits',
    proof: check(async world => {
      const calls = [
        ['git_log', {}],
        ['git_merge', { branch: 'main' }],
        ['git_blame', { file: 'a.txt' }],
        ['git_create_tag', { tag: 'v1' }],
        ['git_checkout', { branch: 'main' }],
      ] as const
      for (const [name, args] of calls) {
        const said = JSON.stringify(await rpcCall(world, name, { repositoryPath: 'unborn', ...args }))
        expect(said, name).toMatch(/has no commits yet/)
        expect(said).not.toContain('fatal')
      }
    }),
  },
  { says: 'component: messages are parsed and dispatched', proof: rows('tools/call', 'an invalid request') },
  { says: 'component: a registry of tools', proof: LIST },
  { says: 'component: an executor', proof: CALL },
  { says: 'the discovery request as the first message, on stdio', proof: rows('tools/list as the first message') },
  { says: 'the discovery request over HTTP', proof: rows('tools/list as the first message') },
  {
    says: 'the discovery request on /mcp',
    proof: differs('Streamable HTTP wants a session first; POST /rpc serves it without', 'tools/list on /mcp'),
  },
  { says: 'the discovery response: name, description, inputSchema', proof: describesEveryTool },
  {
    says: '`filesystem/read` is listed',
    proof: differs(
      'The protocol allows no slash in the name of a tool: it is listed as read_file, and answers to filesystem/read',
      'tools/list',
      'tools/call',
    ),
  },
  { says: 'its schema: path, a string, required', proof: LIST },
  { says: 'the invocation request', proof: CALL },
  {
    says: '`content` of the result is a bare string',
    proof: differs('The protocol has a list of content blocks there', 'tools/call'),
  },
  { says: 'definitions have a name, a description and a schema', proof: describesEveryTool },
  { says: 'all responses have the structure of JSON-RPC', proof: rows('tools/list', 'an invalid request') },
  {
    says: 'errors have standard codes',
    proof: rows('a parse error', 'an invalid request', 'an unknown tool', 'invalid parameters'),
  },
  { says: 'the server starts with its registry', proof: LIST },
  { says: 'parameters are validated against the schema', proof: rows('invalid parameters') },
  { says: 'a tool is executed and its result captured', proof: CALL },
  { says: 'the response is formatted', proof: CALL },
  { says: 'System.Text.Json', proof: unverifiable('a library of another language') },
  { says: 'asynchronous input and output', proof: tested(`${PACK}/protocol.test.ts`, 'calls run side by side') },
  { says: 'cancellation', proof: tested(`${PACK}/run/command.test.ts`, 'a cancelled call ends its command') },
  { says: 'source generators', proof: unverifiable('a means of another language') },
  {
    says: 'unit tests of parsing',
    proof: tested(
      'packages/engine/test/jsonrpc/parsing.test.ts',
      'takes any JSON value, and gives a message or says what is wrong',
    ),
  },
  {
    says: 'integration tests of discovery',
    proof: tested(`${PACK}/protocol.test.ts`, 'every tool and every argument is described'),
  },
  {
    says: 'end-to-end tests with actual clients',
    proof: tested(`${PACK}/stdio.test.ts`, 'every tool works with the official client'),
  },
  {
    says: 'tests of invalid requests',
    proof: tested('packages/cli/test/stdio/torture.test.ts', 'a thousand bad lines among a thousand good ones'),
  },
  { says: 'all input is validated', proof: rows('invalid parameters', 'a path out of the root') },
  {
    says: 'no directory traversal',
    proof: tested(`${PACK}/protocol.test.ts`, 'every tool that takes a path refuses %s'),
  },
  { says: 'a rate limit', proof: tested('packages/cli/test/commands/exit-codes.test.ts', '--rate-limit') },
  { says: 'an audit trail', proof: tested('packages/cli/test/commands/exit-codes.test.ts', '--audit FILE') },
  {
    says: 'discovery in less than 100 ms',
    proof: check(async world => expect(await fastest(() => rpc(world, 'tools/list'))).toBeLessThan(100)),
  },
  {
    says: 'a typical call in less than 5 s',
    proof: check(async world =>
      expect(await fastest(() => rpcCall(world, 'read_file', { path: 'a.txt' }))).toBeLessThan(5000),
    ),
  },
  { says: 'concurrent invocations', proof: tested(`${PACK}/protocol.test.ts`, 'calls run side by side') },
  { says: 'stdio, not REST only', proof: rows('tools/list as the first message') },
  {
    says: 'tools for files',
    proof: hasTools('read_file', 'write_file', 'list_directory', 'delete_file', 'create_directory'),
  },
  { says: 'tools for git', proof: hasTools('git_status', 'git_log', 'git_diff', 'git_add', 'git_commit') },
  { says: 'tools for builds', proof: hasTools('ci_build', 'ci_run_tests', 'ci_restore', 'run_command') },
  {
    says: 'both servers have the same tools',
    proof: check(async world => expect(await overStdio(world)).toEqual(await toolsOf(world))),
  },
  { says: 'an unknown tool is -32601', proof: rows('an unknown tool') },
  { says: 'its message is "Method not found"', proof: rows('an unknown tool') },
  { says: 'invalid parameters are -32602', proof: rows('invalid parameters') },
  { says: 'their message is "Invalid params"', proof: rows('invalid parameters') },
  { says: 'a tool that fails is -32603', proof: rows('a tool that fails') },
  { says: 'its message is "Internal error"', proof: rows('a tool that fails') },
  { says: 'a timeout is -32000 "Tool execution timeout"', proof: rows('a call that takes too long') },
  {
    says: 'it can be used from Claude Desktop',
    proof: check(async () =>
      expect(await startedBy(snippetOf('Claude Desktop', 'mcpServers'), ROOT)).toContain('"name":"read_file"'),
    ),
  },
  {
    says: 'the content of filesystem/read is the file',
    proof: rows('a file of many lines', 'a file of one long line'),
  },
]
