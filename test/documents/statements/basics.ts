import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { JSON_HEADERS, exchange } from '../../../packages/engine/test/support/http-exchange.ts'
import { WsClient } from '../../../packages/engine/test/support/ws-client.ts'
import { listeningAt } from '../../interop/listening.ts'
import { BINARY, ROOT, run } from '../../support/spawned.ts'
import { snippetOf, startedBy } from '../readme.ts'
import { rpc, toolsOf } from '../rpc.ts'
import { check, differs, rows, tested, unverifiable } from '../statement.ts'
import type { Statement } from '../statement.ts'
import type { World } from '../world.ts'

const names = async (world: World): Promise<string[]> => (await toolsOf(world)).map(({ name }) => name)

const isListed = (name: string): ReturnType<typeof check> =>
  check(async world => expect(await names(world)).toContain(name))

/** Left out, with a warning that names it. */
const isRefused = (name: string): ReturnType<typeof check> =>
  check(async world => {
    expect(await names(world)).not.toContain(name)
    expect(world.stderr()).toContain(`Tool name '${name}' is not allowed`)
  })

/** The raw answer to the sample request of POST /sse. */
const sse = async (world: World) =>
  exchange(await world.url(), {
    path: '/sse',
    headers: JSON_HEADERS,
    body: '{"jsonrpc":"2.0","method":"initialize","id":1}',
  })

async function answerOverWs(world: World, frame: object): Promise<Record<string, unknown>> {
  const client = await WsClient.open(await world.url())
  client.send(frame)
  await client.reads(() => client.frames.length > 0)
  await client.close()
  return JSON.parse(client.frames[0] ?? '') as Record<string, unknown>
}

const streamsAreListed = check(async world => {
  const { result } = (await answerOverWs(world, { jsonrpc: '2.0', id: 1, method: 'tools/list' })) as {
    result: { tools: { name: string }[] }
  }
  expect(result.tools.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['system_binary_streams_in', 'system_binary_streams_out', 'system_binary_streams_duplex']),
  )
})

const streamsRun = check(async world => {
  const id = crypto.randomUUID()
  const meta = { method: 'system_binary_streams_out', binary: true }
  const first = await answerOverWs(world, { type: 'start', id, timestamp: new Date().toISOString(), meta })
  expect(first).toMatchObject({ type: 'start' })
})

/** What README shows for an SSE server is read by our own file of servers, and leads to its tools. */
async function snippetIsRead(world: World): Promise<void> {
  const snippet = snippetOf('Older clients, over HTTP+SSE', 'mcpServers')
  expect(snippet).toMatchObject({ url: 'https://your-server.com/sse', transport: 'sse' })
  const folder = mkdtempSync(join(tmpdir(), 'causeway-snippet-'))
  try {
    const file = join(folder, 'mcp.json')
    // Also without our own key, as the document has it.
    const { type: _, ...documented } = { ...snippet, url: new URL('/sse', await world.url()).href }
    writeFileSync(file, JSON.stringify({ mcpServers: { remote_mcp: documented } }))
    const { stdout, stderr } = await run(['list', '--servers', file, '--pack', 'none'])
    expect(stderr).not.toContain('unknown key')
    expect(stdout).toContain('remote_mcp__add_numbers')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const sseIsShown = check(async world => {
  await snippetIsRead(world)
  const spawned = world.spawn('--http', '--port', '0', '--host', '0.0.0.0', '--allow-anonymous')
  const banner = await spawned.until(() => {
    const said = spawned.lines.join('\n')
    return said.includes('Stop with') ? said : undefined
  })
  expect(banner).toMatch(/"transport": ?"sse"/)
  expect(banner).not.toContain('http://0.0.0.0')
})

const proxyIsServed = check(async world => {
  const spawned = world.spawn('--http', '--port', '0', '--allow-host', 'your-server.com')
  const headers = { ...JSON_HEADERS, host: 'your-server.com' }
  const body = '{"jsonrpc":"2.0","method":"tools/list","id":1}'
  expect(await exchange(await listeningAt(spawned), { path: '/sse', headers, body })).toMatchObject({ status: 200 })
})

const PARSE = rows('-32700 Parse error')
const REQUEST = rows('-32600 Invalid Request')
const METHOD = rows('-32601 Method not found: a method', '-32601 Method not found: a tool')
const PARAMS = rows(
  '-32602 Invalid params: {}',
  '-32602 Invalid params: {"number1":5}',
  '-32602 Invalid params: {"number1":"five","number2":3}',
)
const INTERNAL = rows('-32603 Internal error')

/** What the protocol document of the gateway says. */
export const basics: readonly Statement[] = [
  { says: 'protocol version 2025-06-18', proof: rows('initialize') },
  { says: 'whatever is offered', proof: rows('initialize with version 2025-11-25', 'initialize with version 9.9') },
  { says: 'tools/list', proof: rows('tools/list') },
  { says: 'tools/call', proof: rows('tools/call') },
  { says: 'input is validated by JSON Schema', proof: PARAMS },
  { says: 'responses are wrapped in content', proof: rows('tools/call') },
  { says: 'GitHub Copilot itself', proof: unverifiable('a program of others, not available here') },
  {
    says: 'names fit its alphabet',
    proof: check(async world =>
      expect((await names(world)).every(name => /^[a-zA-Z0-9_-]{1,128}$/.test(name))).toBe(true),
    ),
  },
  {
    says: 'names of 1 to 128 letters',
    proof: check(async world => {
      expect(await names(world)).toContain('x'.repeat(128))
      expect(await names(world)).not.toContain('y'.repeat(129))
    }),
  },
  { says: 'a hyphen is valid', proof: isListed('calculator-add') },
  { says: 'a dot is not', proof: isRefused('system.ping') },
  { says: 'a space is not', proof: isRefused('add numbers') },
  { says: 'other characters are not', proof: isRefused('add@numbers') },
  { says: '`system_binary_streams_in` is a valid name', proof: streamsAreListed },
  { says: 'initialize: version and server', proof: rows('initialize') },
  { says: 'initialize: capabilities {"tools":{}}', proof: rows('initialize') },
  { says: 'tools/list: add_numbers', proof: rows('tools/list') },
  { says: 'tools/list: system_ping', proof: rows('tools/list') },
  { says: 'tools/call: {"result":8}', proof: rows('tools/call') },
  { says: 'tools are discovered', proof: isListed('text_schema') },
  {
    says: 'malformed schemas are warned of',
    proof: check(async world => {
      expect(await names(world)).not.toContain('bad_schema')
      expect(world.stderr()).toMatch(/"level":"warn".*skipped the tool bad_schema/)
    }),
  },
  {
    says: 'a schema as JSON text',
    proof: check(async world => expect(await rpc(world, 'text_schema')).toMatchObject({ result: 'ok' })),
  },
  { says: 'titles', proof: rows('titles after the handshake') },
  { says: 'descriptions', proof: rows('tools/list') },
  { says: 'missing numbers are -32602', proof: PARAMS },
  { says: 'in the words of the sample', proof: PARAMS },
  { says: 'four transports', proof: rows('tools/list') },
  { says: 'POST /rpc', proof: rows('tools/list') },
  { says: 'ws:// /ws', proof: rows('tools/list') },
  { says: 'POST /sse', proof: rows('initialize without parameters') },
  {
    says: 'its answer is text/event-stream',
    proof: check(async world => expect((await sse(world)).headers['content-type']).toContain('text/event-stream')),
  },
  {
    says: 'a data: line',
    proof: check(async world =>
      expect((await sse(world)).text).toMatch(
        /^data: \{"jsonrpc":"2\.0","id":1,"result":\{"protocolVersion":"2025-06-18"/,
      ),
    ),
  },
  {
    says: 'event: done, data: {}',
    proof: check(async world => expect((await sse(world)).text).toMatch(/\n\nevent: done\ndata: \{\}\n\n$/)),
  },
  {
    says: 'clients of remote SSE',
    proof: tested('test/interop/http.test.ts', 'lists and calls tools, reads a resource, gets a prompt'),
  },
  { says: 'the configuration of a remote SSE server', proof: sseIsShown },
  { says: 'https://your-server.com/sse, ready for the cloud', proof: proxyIsServed },
  { says: 'remote use', proof: tested('test/interop/http-cli.test.ts', 'beyond this machine with leave') },
  {
    says: 'many clients',
    proof: check(async world => {
      const answers = await Promise.all(
        Array.from({ length: 50 }, () => rpc(world, 'add_numbers', { number1: 5, number2: 3 })),
      )
      expect(answers.every(({ result }) => result?.result === 8)).toBe(true)
    }),
  },
  {
    says: 'streaming from server to client',
    proof: tested('packages/engine/test/http/http-sse.test.ts', 'progress comes before the answer'),
  },
  { says: 'stdio with the arguments ["--stdio"]', proof: rows('tools/call') },
  {
    says: 'an empty environment',
    proof: check(async () =>
      expect(await startedBy({ command: 'node', args: [BINARY, '--stdio', '--preset', 'basics'] }, ROOT)).toContain(
        '"name":"system_echo"',
      ),
    ),
  },
  {
    says: 'the configuration of a workspace',
    proof: check(async () => {
      const snippet = snippetOf('VS Code', 'servers')
      expect(snippet).toMatchObject({ type: 'stdio' })
      expect(await startedBy(snippet, ROOT)).toContain('"name":"read_file"')
    }),
  },
  { says: 'the production path', proof: unverifiable('a folder of another platform') },
  { says: 'the row of latencies', proof: unverifiable('words, not figures') },
  {
    says: 'the row of directions',
    proof: tested(
      'packages/engine/test/websocket/websocket.test.ts',
      'the server’s questions, progress, log messages and changes come over it',
    ),
  },
  { says: 'the row of firewalls', proof: unverifiable('about networks of others') },
  { says: 'the row of clients', proof: unverifiable('about programs of others') },
  { says: '-32700 Parse error', proof: PARSE },
  { says: '-32600 Invalid Request', proof: REQUEST },
  { says: '-32601, the code', proof: METHOD },
  { says: '-32601 "Method not found" for a tool', proof: METHOD },
  { says: '-32602, the code', proof: PARAMS },
  { says: '-32602 "Invalid params"', proof: PARAMS },
  { says: '-32603, the code', proof: INTERNAL },
  { says: '-32603 "Internal error"', proof: INTERNAL },
  { says: 'a tool refuses its parameters with -32602', proof: rows('ToolInvalidParamsException') },
  { says: 'a tool that is not found is -32601', proof: rows('ToolNotFoundException') },
  { says: 'a tool fails with -32603', proof: rows('ToolInternalErrorException') },
  { says: 'tests over HTTP', proof: tested('test/interop/http-curl.test.ts', 'shows something') },
  { says: 'tests over stdio', proof: tested('packages/cli/test/stdio/transcripts.test.ts', 'stand for what came') },
  { says: 'the example test', proof: rows('tools/list with the id test-1') },
  { says: 'batches on /rpc', proof: rows('a batch without a handshake') },
  { says: 'batches on POST /sse', proof: rows('a batch without a handshake') },
  { says: 'batches on /ws and stdio without a handshake', proof: rows('a batch without a handshake') },
  { says: 'batches after the handshake', proof: rows('a batch after the handshake') },
  { says: 'notifications', proof: rows('a notification') },
  {
    says: 'future: resources',
    proof: tested(
      'packages/engine/test/methods/resources.test.ts',
      '[S-RES-05] templates are listed apart from resources',
    ),
  },
  {
    says: 'future: prompts',
    proof: tested('packages/engine/test/methods/prompts.test.ts', '[S-PRM-01] prompts/get fills the blanks'),
  },
  { says: 'future: sampling', proof: tested('packages/engine/test/methods/asking.test.ts', 'a model is sampled') },
  { says: 'add_numbers', proof: rows('tools/call') },
  { says: 'multiply_numbers', proof: rows('4 times 3') },
  { says: 'system_ping', proof: rows('system_ping') },
  { says: 'system_echo', proof: rows('system_echo') },
  { says: '"add 5 and 3", "4 times 3"', proof: rows('tools/call', '4 times 3') },
  { says: 'the streaming protocol', proof: streamsRun },
  {
    says: 'a guide to writing tools',
    proof: check(() => expect(readFileSync(`${ROOT}docs/writing-a-server.md`, 'utf8')).toContain('tool(')),
  },
  { says: 'a copy of JSON-RPC 2.0', proof: unverifiable('a public text of others') },
  {
    says: 'the MIT licence',
    proof: check(() => expect(readFileSync(`${ROOT}LICENSE`, 'utf8')).toContain('MIT License')),
  },
  { says: 'mcp-gateway 2.0.0', proof: rows('initialize') },
  {
    says: 'args ["--stdio"] alone serve the four verified tools',
    proof: differs(
      'Without a preset Causeway serves its own; this document is --preset basics, or CAUSEWAY_PRESET=basics in env',
      'tools/list',
    ),
  },
  { says: 'the schema of add_numbers is open', proof: rows('tools/list', 'an argument more than it needs') },
  {
    says: 'bad frames of a stream are answered',
    proof: tested('packages/engine/test/websocket/byte-streams.test.ts', 'frames of no stream, and those too short'),
  },
]
