import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { TARGETS, KNOWN_TEAMS } from '../../../packages/packs/src/cassini/plan/facts.ts'
import { COLUMNS } from '../../../packages/packs/src/cassini/plan/observation.ts'
import { run } from '../../support/spawned.ts'
import { rpcCall } from '../rpc.ts'
import { check, differs, rows, tested, unverifiable } from '../statement.ts'
import type { Statement } from '../statement.ts'
import type { World } from '../world.ts'

const PACK = 'packages/packs/test/cassini'

/** What a call found, as data. */
async function found(world: World, name: string, args: object): Promise<Record<string, unknown>> {
  const { result } = await rpcCall(world, name, args)
  const [, block] = (result?.content ?? []) as readonly { readonly resource?: { readonly text: string } }[]
  return JSON.parse(block?.resource?.text ?? '') as Record<string, unknown>
}

interface Named {
  readonly name: string
  readonly count: number
}

const counts = (list: unknown): object =>
  Object.fromEntries((list as readonly Named[]).map(({ name, count }) => [name, count]))

/** Three rows are what they are, not the public plan. */
async function importsAreDescribed(): Promise<void> {
  const data = mkdtempSync(join(tmpdir(), 'causeway-documents-'))
  try {
    const row = '2004-135T18:40:00,000T09:22:00,14-May-04,CAPS,Non-SPASS,Saturn,SURVEY,Survey,MAPS Survey,words'
    const file = join(data, 'three.csv')
    writeFileSync(file, [COLUMNS.join(','), row, row, row.replace('2004-135', '2005-001')].join('\n'))
    const { stdout } = await run(['cassini', 'import', file, '--data', data])
    expect(stdout).toContain(
      'three.csv: 3 observations from 2004-135T18:40:00 to 2005-001T18:40:00, not the public master plan',
    )
    const called = await run(['call', 'list_teams', '--pack', 'cassini', '--data', data])
    expect(JSON.parse(called.stdout)).toMatchObject({
      synthetic: false,
      source: expect.stringContaining('three.csv: 3'),
    })
  } finally {
    rmSync(data, { recursive: true, force: true })
  }
}

/** What the protocol document of the Cassini server says. */
export const cassini: readonly Statement[] = [
  { says: 'the structure of a request', proof: rows('tools/call') },
  { says: 'the structure of a success', proof: rows('tools/list') },
  { says: 'the structure of an error', proof: rows('-32600 Invalid Request') },
  { says: 'initialize: 2024-11-05 and the server', proof: rows('initialize') },
  { says: 'initialize: capabilities {"tools":{}}', proof: rows('initialize') },
  { says: 'tools/list: query_observations_by_team', proof: rows('tools/list') },
  { says: 'tools/call: team ISS, limit 10', proof: rows('tools/call') },
  { says: 'its content: a text block', proof: rows('tools/call') },
  { says: '-32700 Parse error', proof: rows('-32700 Parse error') },
  { says: '-32600 Invalid Request', proof: rows('-32600 Invalid Request') },
  { says: '-32601 Method not found', proof: rows('-32601 Method not found') },
  {
    says: '-32602 Invalid params',
    proof: rows(
      '-32602 Invalid params: no tool is named',
      '-32602 Invalid params: an argument is missing',
      '-32602 Invalid params: an argument is out of range',
    ),
  },
  {
    says: '-32603 Internal error',
    proof: tested('packages/engine/test/errors/errors.test.ts', 'an Error outside a tool is internal and masked'),
  },
  {
    says: '-32000 Server error',
    proof: rows('-32000 Server error: what HTTP itself refuses, here for want of a session'),
  },
  { says: '-32001 Tool not found', proof: rows('-32001 Tool not found') },
  { says: '-32002 Tool execution error', proof: rows('-32002 Tool execution error') },
  { says: 'first initialize', proof: rows('initialize') },
  { says: 'then tools/list', proof: rows('tools/list') },
  { says: 'then tools/call', proof: rows('tools/call') },
  { says: 'again and again', proof: rows('tools/call', 'one observation') },
  { says: 'stdio', proof: rows('tools/list') },
  { says: 'HTTP', proof: rows('tools/list') },
  { says: 'WebSocket', proof: rows('tools/list') },
  { says: 'ASP.NET Core', proof: unverifiable('a library of another language') },
  { says: 'schemas with type, description, enum, required', proof: rows('tools/list') },
  { says: 'content has a text item beside the resource item', proof: rows('tools/call', 'one observation') },
  {
    says: 'a resource item has uri, mimeType, text',
    proof: rows('one observation', 'a range by day of year and by calendar'),
  },
  { says: 'an id may be a string', proof: rows('the id "a"', 'the id ""') },
  { says: 'an id may be a number', proof: rows('the id 0', 'the id 7') },
  { says: 'an id may be 1.5', proof: differs('The protocol wants whole numbers', 'the id 1.5') },
  { says: 'an id may be null', proof: rows('the id null') },
  {
    says: 'an id may be null on /mcp',
    proof: differs('The protocol forbids it; plain JSON-RPC (/rpc, POST /sse) answers it', 'the id null'),
  },
  { says: 'notifications are not answered', proof: rows('a notification') },
  {
    says: 'names of methods are lower case with slashes or underscores',
    proof: rows('tools/list', 'resources/read, which is not declared', 'prompts/get, which is not declared'),
  },
  { says: 'the current version is 2024-11-05', proof: rows('initialize') },
  {
    says: 'versions are negotiated',
    proof: rows('initialize asks for 2025-06-18, and gets it', 'initialize asks for 2025-11-25, and gets it'),
  },
  {
    says: 'the data of the mission',
    proof: check(async world => {
      const { total, teams } = await found(world, 'list_teams', {})
      expect(total).toBe(61_873)
      expect(counts(teams)).toMatchObject(KNOWN_TEAMS)
      expect(counts((await found(world, 'list_targets', {})).targets)).toEqual(TARGETS)
    }),
  },
  {
    says: 'it is the real data',
    proof: differs(
      'The public plan may be imported, but not shipped; until then it is synthetic, and every result says so first',
      'tools/call',
    ),
  },
  {
    says: 'a plan can be imported',
    proof: tested(`${PACK}/import.test.ts`, 'a mark at the start and mixed line ends are tolerated'),
  },
  { says: 'an import says what it holds', proof: check(importsAreDescribed) },
  {
    says: 'details have all fields',
    proof: check(async world => {
      const details = await found(world, 'get_observation_details', { id: 1 })
      expect(Object.keys(details)).toEqual(expect.arrayContaining(['id', ...COLUMNS]))
    }),
  },
  {
    says: 'an unknown team or target',
    proof: rows(
      'an unknown team',
      'a team by the name of its instrument',
      'an observation that is not there, in words',
    ),
  },
  { says: 'impossible times', proof: rows('-32602 Invalid params: an impossible day') },
  { says: 'a range of one date', proof: rows('a range of one date is the whole day') },
  { says: 'a range outside the mission', proof: rows('a range outside the mission says so') },
  {
    says: 'pages are disjoint and complete',
    proof: tested(`${PACK}/agreement.test.ts`, 'pages are disjoint and together everything'),
  },
]
