import { readFileSync } from 'node:fs'
import { expect } from 'vitest'
import type { ViteUserConfig } from 'vitest/config'
import { exchange } from '../../../packages/engine/test/support/http-exchange.ts'
import { ROOT, run } from '../../support/spawned.ts'
import { rpcCall, textOf } from '../rpc.ts'
import { check, differs, rows, tested, unverifiable } from '../statement.ts'
import type { Proof, Statement } from '../statement.ts'

const PRESET = 'packages/cli/test/presets/threats.test.ts'
const PACK = 'packages/packs/test/threats'
const STDIO = 'packages/engine/test/stdio/stdio.test.ts'
const PIPES = 'packages/cli/test/stdio/pipes.test.ts'
const DOCUMENT = 'test/documents/threats.test.ts'

const CALL = rows('tools/call')
const LIST = rows('tools/list')
const UNKNOWN = rows('an unknown tool')
const MALFORMED = rows('malformed JSON')
const METHOD = rows('an unknown method')
const EARLY = rows(
  'tools/list before initialize',
  'tools/list between initialize and initialized',
  'tools/call between initialize and initialized',
)
const VALIDATION = rows(
  'an invalid language',
  'an invalid framework',
  'an invalid verbosity',
  'no context',
  'an empty context',
  'an unknown parameter',
)

/** Members of the first pattern that is found. */
const has = (verbosity: string, list: string, members: readonly string[]): Proof =>
  check(async world => {
    const said = textOf(await rpcCall(world, 'tmkb_query', { context: 'background job processing', verbosity }))
    const [first] = (JSON.parse(said) as Record<string, object[]>)[list] ?? []
    expect(Object.keys(first ?? {})).toEqual(expect.arrayContaining([...members]))
  })

/** What share of lines must be covered, where it is counted: the run that decides counts it. */
async function thresholds(): Promise<unknown> {
  expect(readFileSync(`${ROOT}.ci/run`, 'utf8')).toMatch(/^[^#]*COVERAGE=1/m)
  const { default: config } = (await import(`${ROOT}vitest.config.ts`)) as { readonly default: ViteUserConfig }
  return config.test?.coverage?.thresholds
}

/** Run the whole pack's tool list. */
async function allTools(): Promise<string> {
  return (await run(['list', '--pack', 'threats'])).stdout
}

/** What the design document of the threat knowledge base says. */
export const threats: readonly Statement[] = [
  { says: 'requests', proof: CALL },
  { says: 'responses', proof: CALL },
  { says: 'notifications', proof: rows('notifications/initialized', 'a notification nobody knows') },
  { says: 'errors', proof: UNKNOWN },
  { says: 'the lifecycle', proof: rows('initialize', 'notifications/initialized', 'tools/list') },
  { says: 'tools/list', proof: LIST },
  { says: 'tools/call', proof: CALL },
  { says: 'strict validation, actionable messages', proof: VALIDATION },
  { says: 'coverage above 80 %', proof: check(async () => expect(await thresholds()).toMatchObject({ lines: 80 })) },
  { says: 'stdio', proof: CALL },
  { says: 'a registry of handlers', proof: rows('tools/list', 'an unknown method') },
  { says: 'a protocol error: an unknown tool', proof: UNKNOWN },
  { says: 'a protocol error: a malformed request', proof: rows('no version of JSON-RPC', 'no method') },
  { says: 'a protocol error: invalid JSON', proof: MALFORMED },
  { says: 'a protocol error: an unknown method', proof: METHOD },
  { says: 'isError: invalid values', proof: rows('an invalid language', 'an invalid framework') },
  { says: 'isError: an empty context', proof: rows('an empty context', 'a blank context') },
  { says: 'isError: unknown parameters', proof: rows('an unknown parameter') },
  {
    says: 'newline-delimited JSON in',
    proof: tested(STDIO, 'CRLF, blank lines, a byte order mark, one byte at a time'),
  },
  {
    says: 'JSON out',
    proof: tested('packages/engine/test/jsonrpc/parsing.test.ts', 'what goes out is one line of JSON-RPC, or nothing'),
  },
  { says: 'writes are atomic', proof: tested(STDIO, 'a large answer leaves in pieces, whole and in order') },
  {
    says: 'the end of the input is graceful',
    proof: tested(PIPES, 'ends the process at once when nothing is in flight'),
  },
  {
    says: 'the structure of messages is validated',
    proof: rows('no version of JSON-RPC', 'no method', 'no id but null'),
  },
  { says: 'envelopes', proof: CALL },
  {
    says: 'before `initialized` only `initialize`',
    proof: differs('`ping` is answered too: the protocol says so', 'ping before initialize'),
  },
  { says: 'after `initialized` tools/list and tools/call', proof: rows('tools/list', 'tools/call') },
  { says: 'transitions are strict', proof: EARLY },
  { says: 'jsonrpc must be "2.0"', proof: rows('no version of JSON-RPC') },
  { says: 'an id is a string or a number, not null', proof: rows('no id but null') },
  { says: 'params may be missing', proof: LIST },
  { says: 'the envelope of a success', proof: CALL },
  { says: 'the envelope of an error, without an id where it is unknown', proof: MALFORMED },
  { says: 'a notification has no id', proof: rows('notifications/initialized') },
  { says: '-32700', proof: MALFORMED },
  { says: '-32600', proof: rows('no method') },
  { says: '-32601', proof: METHOD },
  {
    says: '-32602: wrong types, an unknown tool',
    proof: rows('parameters of the wrong type', 'initialize with parameters of the wrong type', 'an unknown tool'),
  },
  {
    says: '-32603: a server panic',
    proof: unverifiable('no crash outside a tool could be provoked; one inside is masked and answered as a result'),
  },
  { says: 'the request of initialize', proof: rows('initialize') },
  { says: 'the response to initialize', proof: rows('initialize') },
  { says: 'initialized is not answered', proof: rows('notifications/initialized') },
  { says: 'the same version when it is supported', proof: rows('initialize') },
  {
    says: 'only 2025-11-25 is supported',
    proof: differs('Older revisions are served too, to clients that ask for them', 'initialize with an older version'),
  },
  {
    says: 'an unsupported version is answered with the latest',
    proof: rows('initialize with a version that is not supported is answered with the latest'),
  },
  { says: 'listChanged is false', proof: rows('initialize') },
  { says: 'no resources, prompts or logging', proof: tested(PRESET, 'only tools are offered') },
  { says: 'the response to tools/list', proof: LIST },
  { says: 'minLength 1', proof: LIST },
  { says: 'additionalProperties false', proof: LIST },
  { says: 'strict values', proof: LIST },
  { says: 'the shape of a success, isError false', proof: CALL },
  {
    says: '"pattern_count":3 in the sample',
    proof: differs(
      'The sample shows a shape ("[...]"): its context finds one pattern, others find three',
      'tools/call',
      'tools/call that finds three patterns',
    ),
  },
  { says: 'the sample of a validation failure', proof: rows('an invalid language') },
  { says: 'the sample of an unknown tool', proof: UNKNOWN },
  { says: 'the name of the tool is exact', proof: UNKNOWN },
  { says: 'and case-sensitive', proof: rows('the tool’s name in another case') },
  { says: 'context is required: the message', proof: rows('no context', 'no arguments') },
  { says: 'context is empty: the message', proof: rows('an empty context') },
  { says: 'after trimming', proof: rows('a blank context') },
  { says: 'language is optional', proof: rows('tools/call that finds three patterns') },
  { says: 'language: the message', proof: rows('an invalid language') },
  { says: 'framework: the message', proof: rows('an invalid framework') },
  { says: 'verbosity is agent by default', proof: rows('verbosity agent, the default', 'verbosity human') },
  { says: 'verbosity: the message', proof: rows('an invalid verbosity') },
  { says: 'unknown parameters: the message', proof: rows('an unknown parameter') },
  { says: 'a second initialize: "Already initialized"', proof: rows('a second initialize') },
  { says: 'before initialized: the message', proof: EARLY },
  { says: 'an empty input ends cleanly', proof: tested(DOCUMENT, 'an empty stdin ends it cleanly') },
  { says: 'malformed JSON is -32700', proof: MALFORMED },
  {
    says: 'a missing id is an error without an id',
    proof: differs(
      'It contradicts the line below it: a message without an id is a notification, which is not answered',
      'no id at all',
    ),
  },
  { says: 'notifications are processed and not answered', proof: rows('notifications/initialized', 'no id at all') },
  { says: 'messages above 10 MB are refused', proof: rows('a message of more than 10 MB') },
  { says: 'an unknown method', proof: METHOD },
  { says: 'an error of the query engine, sanitized', proof: rows('an error of the query engine, sanitized') },
  {
    says: 'errors are logged on stderr',
    proof: tested(DOCUMENT, 'on stdio every error leaves a line that names its request'),
  },
  { says: 'with the id of the request', proof: rows('an invalid language') },
  { says: 'internals are not exposed', proof: rows('an error of the query engine, sanitized') },
  { says: 'levels INFO and ERROR', proof: tested(PRESET, 'the log keeps to its level') },
  { says: 'the first example of the log', proof: rows('an invalid language') },
  { says: 'the second example of the log', proof: rows('tools/call that finds three patterns') },
  {
    says: 'tests of parsing',
    proof: tested(
      'packages/engine/test/jsonrpc/parsing.test.ts',
      'takes any JSON value, and gives a message or says what is wrong',
    ),
  },
  { says: 'TestHandleInitialize_Success', proof: rows('initialize') },
  {
    says: 'TestHandleInitialize_VersionNegotiation',
    proof: rows('initialize with a version that is not supported is answered with the latest'),
  },
  { says: 'TestHandleInitialize_DuplicateInit', proof: rows('a second initialize') },
  {
    says: 'TestHandleInitialize_InvalidParams',
    proof: rows(
      'initialize with no parameters',
      'initialize with the parameters {}',
      'initialize with the parameters {"capabilities":{}}',
    ),
  },
  { says: 'tests of tools/list', proof: rows('tools/list', 'tools/list before initialize') },
  { says: 'tests of tools/call', proof: VALIDATION },
  { says: 'tests of validation', proof: VALIDATION },
  { says: 'tests of the lifecycle', proof: EARLY },
  {
    says: 'integration tests',
    proof: tested(DOCUMENT, 'on stdio every error leaves a line that names its request, and none ends the session'),
  },
  { says: 'tests of stdio', proof: tested(STDIO, 'handshake, list, call, end') },
  { says: 'test utilities in Go', proof: unverifiable('an interface of another language') },
  {
    says: 'unit tests above 85 %',
    proof: check(async () =>
      expect(await thresholds()).toMatchObject({ 'packages/engine/src/**/*.ts': { lines: 85 } }),
    ),
  },
  { says: 'the structure of files', proof: unverifiable('files of another language') },
  { says: 'names of functions in Go', proof: unverifiable('names of another language') },
  {
    says: 'full JSON-RPC 2.0',
    proof: tested(
      'packages/engine/test/jsonrpc/jsonrpc.test.ts',
      'a batch is answered by a batch, its notifications by nothing',
    ),
  },
  { says: 'no data races', proof: tested('packages/cli/test/stdio/torture.test.ts', 'one id for a hundred calls') },
  { says: 'best practices of Go', proof: unverifiable('rules of another language') },
  { says: 'future: HTTP, SSE', proof: CALL },
  {
    says: 'future: tools for validation and schema introspection',
    proof: check(async () =>
      expect(await allTools()).toMatch(/tmkb_schema[^]*tmkb_validate|tmkb_validate[^]*tmkb_schema/),
    ),
  },
  {
    says: 'future: patterns as resources',
    proof: tested(`${PACK}/browse.test.ts`, 'the index and each pattern can be read'),
  },
  { says: 'future: prompts', proof: tested(`${PACK}/browse.test.ts`, 'brings the threats that are known') },
  {
    says: 'future: logging',
    proof: tested('packages/engine/test/methods/logging.test.ts', 'a message says its level, who speaks, and its data'),
  },
  {
    says: 'future: metrics',
    proof: check(async world =>
      expect(await exchange(await world.url(), { method: 'GET', path: '/metrics' })).toMatchObject({ status: 200 }),
    ),
  },
  { says: 'fields for agents', proof: has('agent', 'patterns', ['id', 'severity', 'threat', 'check', 'fix']) },
  {
    says: 'fields for people',
    proof: has('human', 'verbose_patterns', ['id', 'name', 'severity', 'likelihood', 'description', 'mitigations']),
  },
  {
    says: 'the ranking',
    proof: tested(`${PACK}/query.test.ts`, 'relevance comes before severity, severity before the id'),
  },
  {
    says: 'no match says what would match',
    proof: check(async world => {
      const answer = JSON.parse(textOf(await rpcCall(world, 'tmkb_query', { context: 'authorization' }))) as {
        readonly hint: string
      }
      expect(answer).toMatchObject({ pattern_count: 0, hint: expect.stringMatching(/in words such as '/) })
      const [, word = ''] = /such as '([^']+)'/.exec(answer.hint) ?? []
      const found = textOf(await rpcCall(world, 'tmkb_query', { context: word }))
      expect(JSON.parse(found)).toMatchObject({ pattern_count: expect.any(Number) as number })
      expect(found, word).not.toContain('"pattern_count":0')
    }),
  },
  {
    says: '-32602 for parameters of the wrong type, those of the tool too',
    proof: differs('Its own rules make what is wrong with an argument a result that the model reads', 'no context'),
  },
  {
    says: 'before `initialized` only `initialize`, on every transport',
    proof: differs('Plain JSON-RPC (/rpc, POST /sse) has no handshake; the document is about stdio', 'tools/list'),
  },
]
