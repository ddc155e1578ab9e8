import { expect } from 'vitest'
import { answered, failed, inAll, noAnswer, noHandshake, noMessage, plainPlaces, unlikeClients, unread } from './row.ts'
import type { Document, Row } from './row.ts'
import { cassini as statements } from './statements/cassini.ts'

type Id = string | number | null

const ask = (id: Id, method: string, params?: object): object => ({
  jsonrpc: '2.0',
  method,
  ...(params && { params }),
  id,
})
const hello = (protocolVersion: string): object =>
  ask(1, 'initialize', { protocolVersion, capabilities: {}, clientInfo: { name: 'client-name', version: '1.0.0' } })
const call = (name: string, args: object, id = 3): object => ask(id, 'tools/call', { name, arguments: args })

const welcome = (protocolVersion: string): object => ({
  protocolVersion,
  capabilities: { tools: {} },
  serverInfo: { name: 'cassini-mcp-server', version: '1.0.0' },
})

const BY_TEAM: unknown = expect.objectContaining({
  name: 'query_observations_by_team',
  description: 'Query Cassini observations by team/instrument',
  inputSchema: expect.objectContaining({
    type: 'object',
    properties: expect.objectContaining({
      team: expect.objectContaining({ type: 'string', description: 'Team identifier (CAPS, ISS, etc.)' }),
    }),
    required: ['team'],
  }),
})
const TOOLS = { tools: expect.arrayContaining([BY_TEAM]) as object }

const MARK = 'SYNTHETIC DATA: generated, not the real mission plan\\.'

/** A text block and a resource block, the mark first in both; newer revisions repeat the second as `structuredContent`. */
const block = (uri: string, words: string, text: RegExp): object =>
  expect.objectContaining({
    content: [
      { type: 'text', text: expect.stringMatching(new RegExp(`^${MARK} ${words}`)) as string },
      {
        type: 'resource',
        resource: { uri, mimeType: 'application/json', text: expect.stringMatching(text) as string },
      },
    ],
  })
const ISS = block(
  'cassini://observations/team/ISS',
  '10 of 8,989 observations of team ISS, ',
  /^\{"synthetic":true,"source":"generated[^"]*","count":10,"total":8989,.*"offset":0,"limit":10,"team":"ISS"/,
)

const examples: readonly Row[] = [
  {
    title: 'initialize',
    at: 'new',
    say: hello('2024-11-05'),
    answer: answered(1, welcome('2024-11-05')),
    but: { '/mcp stateless': noHandshake(1, 'initialize') },
  },
  ...['2025-06-18', '2025-11-25'].map(version => ({
    title: `initialize asks for ${version}, and gets it`,
    at: 'new' as const,
    say: hello(version),
    answer: answered(1, welcome(version)),
    but: { '/mcp stateless': noHandshake(1, 'initialize'), ...unlikeClients('A client chooses the version itself') },
  })),
  { title: 'tools/list', say: ask(2, 'tools/list'), answer: answered(2, TOOLS) },
  {
    title: 'tools/call',
    say: call('query_observations_by_team', { team: 'ISS', limit: 10 }),
    answer: answered(3, ISS),
  },
  ...['resources/read', 'prompts/get'].map(method => ({
    title: `${method}, which is not declared`,
    say: ask(4, method, { uri: 'cassini://teams', name: 'mission-summary' }),
    answer: failed(4, { code: -32601, message: `Method not found: ${method}`, data: method }),
    but: unlikeClients('A client asks for nothing that is not declared'),
  })),
]

/** What the document does not show, and the server it describes has. */
const beyond: readonly Row[] = [
  {
    title: 'a range by day of year and by calendar',
    say: call('query_observations_by_timerange', { start_time: '2005-068', end_time: '2005-03-10', limit: 5 }),
    answer: answered(
      3,
      block(
        'cassini://observations/timerange?start=2005-068T00:00:00&end=2005-069T23:59:59',
        '5 of \\d+ observations that start from',
        /^\{"synthetic":true,.*"count":5,"total":/,
      ),
    ),
  },
  {
    title: 'one observation',
    say: call('get_observation_details', { id: 1 }),
    answer: answered(
      3,
      block(
        'cassini://observations/1',
        'Observation 1: MAPS Survey',
        /^\{"synthetic":true,.*"target":"Saturn","request_name":"SURVEY"/,
      ),
    ),
  },
  {
    title: 'a range of one date is the whole day',
    say: call('query_observations_by_timerange', { start_time: '2005-03-09', end_time: '2005-03-09', limit: 1 }),
    answer: answered(
      3,
      block(
        'cassini://observations/timerange?start=2005-068T00:00:00&end=2005-068T23:59:59',
        '1 of 71 observations that start from',
        /"total":71,/,
      ),
    ),
  },
  {
    title: 'a range outside the mission says so',
    say: call('query_observations_by_timerange', { start_time: '2030-001', end_time: '2030-002' }),
    answer: answered(
      3,
      block(
        'cassini://observations/timerange?start=2030-001T00:00:00&end=2030-002T23:59:59',
        '0 observations that start from .* The range begins after the mission ends\\. ',
        /"total":0,.*"message":"The range begins after the mission ends/,
      ),
    ),
  },
  {
    title: 'a team by the name of its instrument',
    say: call('query_observations_by_team', { team: 'imaging', limit: 10 }),
    answer: answered(3, ISS),
  },
  {
    title: 'an unknown team',
    say: call('query_observations_by_team', { team: 'NASA' }),
    answer: answered(
      3,
      block(
        'cassini://observations/team/NASA',
        "0 observations of team NASA\\. There is no team 'NASA'\\. .*Teams: CAPS, CDA,",
        /"total":0,.*"suggestions":\[/,
      ),
    ),
  },
  {
    title: 'an observation that is not there, in words',
    say: call('get_observation_details', { id: 61_874 }),
    answer: answered(
      3,
      expect.objectContaining({
        content: [
          { type: 'text', text: expect.stringMatching(`^${MARK} No observation found with ID: 61874\\.`) as string },
        ],
      }),
    ),
  },
]

const NO_NULL = { why: 'The protocol forbids an id that is null' }
const NO_ID = '"id" must be a string or an integer'
const notAnId: object = { code: -32600, message: `Invalid Request: ${NO_ID}`, data: NO_ID }

const ids: readonly Row[] = [
  {
    title: 'the id 1.5',
    say: ask(1.5, 'tools/list'),
    ...unread(notAnId, ['stdio', '/ws', 'GET /sse']),
    but: {
      ...unread(notAnId, ['stdio', '/ws', 'GET /sse']).but,
      ...inAll(plainPlaces, { why: 'Plain JSON-RPC only advises against it', answer: answered(1.5, TOOLS) }),
    },
  },
  ...['a', '', 0, 7].map(id => ({
    title: `the id ${JSON.stringify(id)}`,
    say: ask(id, 'tools/list'),
    answer: answered(id, TOOLS),
    but: unlikeClients('A client numbers its requests itself'),
  })),
  {
    title: 'the id null',
    say: ask(null, 'tools/list'),
    answer: answered(null, TOOLS),
    but: {
      ...inAll(['stdio', '/ws', 'GET /sse'], { ...NO_NULL, answer: failed(null, notAnId) }),
      ...inAll(['/mcp', '/mcp stateless'], { ...NO_NULL, answer: failed(undefined, notAnId) }),
      ...noMessage,
    },
  },
  { title: 'a notification', say: { jsonrpc: '2.0', method: 'tools/list' }, answer: 'silence', but: noAnswer },
]

/** The code, and how the message begins. */
const error = (code: number, message: RegExp, data: unknown = expect.anything()): object =>
  expect.objectContaining({ code, message: expect.stringMatching(message) as string, data })

const errors: readonly Row[] = [
  {
    title: '-32700 Parse error',
    say: '{"jsonrpc":',
    ...unread(error(-32700, /^Parse error$/), [...plainPlaces, 'stdio', '/ws']),
  },
  {
    title: '-32600 Invalid Request',
    say: { method: 'tools/list', id: 1 },
    answer: failed(1, error(-32600, /^Invalid Request: /, '"jsonrpc" must be "2.0"')),
    but: noMessage,
  },
  {
    title: '-32601 Method not found',
    say: ask(1, 'observations/list'),
    answer: failed(1, error(-32601, /^Method not found: observations\/list$/, 'observations/list')),
  },
  {
    title: '-32602 Invalid params: no tool is named',
    say: ask(3, 'tools/call', {}),
    answer: failed(3, error(-32602, /^Invalid params: /)),
    but: noMessage,
  },
  {
    title: '-32602 Invalid params: an argument is missing',
    say: call('query_observations_by_team', {}),
    answer: failed(
      3,
      error(
        -32602,
        /^Invalid params: SYNTHETIC DATA: .* Invalid arguments for tool 'query_observations_by_team': .*Missing required parameter 'team'/,
      ),
    ),
  },
  {
    title: '-32602 Invalid params: an argument is out of range',
    say: call('query_observations_by_team', { team: 'ISS', limit: 0 }),
    answer: failed(3, error(-32602, /^Invalid params: .*'limit' must be between 1 and 1000, got 0/)),
  },
  {
    title: '-32602 Invalid params: an impossible day',
    say: call('query_observations_by_timerange', { start_time: '2005-366', end_time: '2005-02-30' }),
    answer: failed(3, error(-32602, /^Invalid params: .*names day 366, but 2005 has the days 001 to 365/s)),
  },
  {
    title: '-32000 Server error: what HTTP itself refuses, here for want of a session',
    at: 'new',
    say: ask(2, 'tools/list'),
    answer: answered(2, TOOLS),
    but: {
      '/mcp': {
        why: 'Only Streamable HTTP has something to refuse here',
        answer: failed(
          2,
          error(-32000, /^Server error: Bad Request: .*Begin with initialize/, expect.stringMatching(/^Bad Request/)),
        ),
      },
      ...unlikeClients('A client makes the handshake before it lets anybody ask'),
    },
  },
  {
    title: '-32001 Tool not found',
    say: call('query_observations_by_moon', {}),
    answer: failed(3, error(-32001, /^Tool not found: query_observations_by_moon$/)),
  },
  {
    title: '-32002 Tool execution error',
    broken: true,
    say: call('list_teams', {}),
    answer: failed(3, error(-32002, /^Tool execution error: .* is damaged or of another version\. Import it again/)),
  },
]

/** The protocol document of the Cassini server; it knows no `initialized`: after `initialize` all is served. */
export const cassini: Omit<Document, 'command'> = {
  name: 'cassini',
  statements,
  usual: 'initialized',
  stages: { new: [], initialized: [hello('2024-11-05')], ready: [] },
  rows: [...examples, ...beyond, ...ids, ...errors],
}
