import { describe, expect, test } from 'vitest'
import type { Call, Implementation, Revision } from '../../src/call.ts'
import { all, at, each, omit } from '../../src/protocol/downgrade.ts'
import { before, model } from '../../src/protocol/revision.ts'
import { find, negotiate, revisions } from '../../src/protocol/revisions.ts'
import { BLOCKS, ICON, META, NOTES } from '../support/showcase.ts'

const SERVER: Implementation = { name: 's', version: '1', title: 'S', description: 'd', icons: [ICON] }
const CACHEABLE = /^(?:.*\/list|resources\/read|server\/discover)$/
const callOf = (method: string): Call =>
  ({ method, descriptor: { name: method, cacheable: CACHEABLE.test(method) } }) as Call

/** Which methods each revision has, as the specification's matrix does. */
const COMMON = [
  'tools/list',
  'tools/call',
  'prompts/list',
  'prompts/get',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'completion/complete',
]
const HANDSHAKE = ['initialize', 'ping', 'logging/setLevel', 'resources/subscribe', 'resources/unsubscribe']
const ASKS = ['elicitation', 'elicitation.url', 'sampling', 'sampling.tools', 'roots']

interface Expected {
  readonly methods: readonly string[]
  readonly questions: readonly string[]
  readonly batch: boolean
  readonly nullId: boolean
  readonly notFound: number | undefined
}

const MATRIX: Readonly<Record<string, Expected>> = {
  '2024-11-05': {
    methods: [...COMMON, ...HANDSHAKE],
    questions: ['sampling', 'roots'],
    batch: true,
    nullId: true,
    notFound: -32002,
  },
  '2025-03-26': {
    methods: [...COMMON, ...HANDSHAKE],
    questions: ['sampling', 'roots'],
    batch: true,
    nullId: true,
    notFound: -32002,
  },
  '2025-06-18': {
    methods: [...COMMON, ...HANDSHAKE],
    questions: ['elicitation', 'sampling', 'roots'],
    batch: false,
    nullId: true,
    notFound: -32002,
  },
  '2025-11-25': {
    methods: [...COMMON, ...HANDSHAKE, 'tasks/get', 'tasks/result', 'tasks/list', 'tasks/cancel'],
    questions: ASKS,
    batch: false,
    nullId: false,
    notFound: -32002,
  },
  '2026-07-28': {
    methods: [...COMMON, 'server/discover', 'subscriptions/listen'],
    questions: ASKS,
    batch: false,
    nullId: false,
    notFound: undefined,
  },
}

/** Results in neutral terms, frozen, as the core hands them over. */
const NEUTRAL: Readonly<Record<string, Record<string, unknown>>> = {
  initialize: { protocolVersion: 'x', capabilities: { completions: {}, logging: {} }, serverInfo: SERVER },
  'tools/list': {
    tools: [
      {
        name: 't',
        title: 'T',
        icons: [ICON],
        _meta: META,
        annotations: { readOnlyHint: true },
        inputSchema: {},
        outputSchema: { type: 'array' },
      },
    ],
    ttlMs: 1,
    cacheScope: 'public',
  },
  'prompts/list': {
    prompts: [{ name: 'p', title: 'P', icons: [ICON], arguments: [{ name: 'a', title: 'A' }] }],
    ttlMs: 1,
    cacheScope: 'public',
  },
  'resources/list': {
    resources: [{ uri: 'x:', name: 'r', icons: [ICON], annotations: NOTES }],
    ttlMs: 1,
    cacheScope: 'public',
  },
  'resources/templates/list': {
    resourceTemplates: [{ uriTemplate: 'x:', name: 't', icons: [ICON] }],
    ttlMs: 1,
    cacheScope: 'public',
  },
  'resources/read': { contents: [{ uri: 'x:', text: 'x', _meta: META }], ttlMs: 1, cacheScope: 'public' },
  'tools/call': { content: BLOCKS, structuredContent: [1] },
  'prompts/get': { messages: BLOCKS.map(content => ({ role: 'user', content })) },
  'completion/complete': { completion: { values: [] } },
  ping: {},
}

function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(frozen)
  return value
}

/** What holds of every revision. */
describe.each(revisions)('[S-RPC-12] revision $version', (revision: Revision) => {
  const expected = MATRIX[revision.version]

  test('has the methods, questions, traits and codes of the matrix', () => {
    expect([...revision.methods].sort()).toEqual([...(expected?.methods ?? [])].sort())
    expect([...revision.questions].sort()).toEqual([...(expected?.questions ?? [])].sort())
    expect(revision.traits).toMatchObject({ batch: expected?.batch, nullId: expected?.nullId })
    expect(revision.codes['resource-not-found']).toBe(expected?.notFound)
    expect(revision.era).toBe(revision.version === '2026-07-28' ? 'stateless' : 'stateful')
    expect(find(revision.version)).toBe(revision)
  })

  test('changes no result it is given', () => {
    for (const [method, result] of Object.entries(NEUTRAL)) {
      const copy = structuredClone(result)
      const encoded = revision.encode(frozen(structuredClone(result)), callOf(method), SERVER)
      expect(result).toEqual(copy)
      expect(typeof encoded).toBe('object')
    }
  })

  test('keeps what belongs to the newest era to it', () => {
    for (const [method, result] of Object.entries(NEUTRAL)) {
      const { resultType, ttlMs, cacheScope, _meta } = revision.encode(result, callOf(method), SERVER)
      const isNewest = revision.era === 'stateless'
      expect(resultType).toBe(isNewest ? 'complete' : undefined)
      expect(ttlMs).toBe(isNewest && 'ttlMs' in result ? 1 : undefined)
      expect(cacheScope).toBe(isNewest && 'ttlMs' in result ? 'public' : undefined)
      expect(_meta).toEqual(isNewest ? { 'io.modelcontextprotocol/serverInfo': SERVER } : undefined)
    }
  })

  test('encodes a second time what it encoded to the same', () => {
    for (const [method, result] of Object.entries(NEUTRAL)) {
      const once = revision.encode(result, callOf(method), SERVER)
      expect(revision.encode(once, callOf(method), SERVER)).toEqual(once)
    }
  })

  test('leaves params it has no word about as they are', () => {
    const params = frozen({ messages: [], maxTokens: 1 })
    expect(revision.writeMessage('sampling/createMessage', params)).toBe(params)
  })
})

test('[S-LIFE-02] a handshake never ends in the stateless revision', () => {
  for (const asked of [undefined, '2026-07-28', 'x', 5]) expect(negotiate(asked).version).toBe('2025-11-25')
  expect(negotiate('2024-11-05', '2025-03-26').version).toBe('2024-11-05')
  expect(negotiate('2025-11-25', '2025-03-26').version).toBe('2025-03-26')
})

describe('a revision is its difference from the next', () => {
  const third = before(
    model({
      era: 'stateless',
      methods: ['a', 'b'],
      questions: ['roots'],
      traits: { batch: false, nullId: false, primed: false },
      stamp: { put: result => ({ ...result, stamped: true }), takeOff: ({ stamped: _, ...result }) => result },
      serve: (call, run) => run(call),
      open: () => Promise.reject(new Error('Nothing listens')),
    }),
    { version: '3' },
  )
  const second = before(third, {
    version: '2',
    without: ['b'],
    with: ['c'],
    traits: { batch: true },
    codes: { busy: 2 },
    stamp: { put: result => result, takeOff: result => result },
    write: { results: { a: value => ({ ...value, log: ['2'] }) }, messages: { n: omit('x') } },
  })
  const first = before(second, {
    version: '1',
    without: ['roots'],
    codes: { timeout: 1 },
    write: { results: { a: value => ({ ...value, log: [...(value.log as string[]), '1'] }), c: omit('y') } },
  })

  test('what it does not say it takes over', () => {
    expect([...first.methods]).toEqual(['a', 'c'])
    expect([...second.questions]).toEqual(['roots'])
    expect([...first.questions]).toEqual([])
    expect(first.traits).toMatchObject({ batch: true, nullId: false })
    expect(first.codes).toEqual({ busy: 2, timeout: 1 })
    expect(first.serve).toBe(third.serve)
    expect(first.writeMessage('n', { x: 1, y: 2 })).toEqual({ y: 2 })
  })

  test('a result goes through the newer changes first', () => {
    expect(first.encode({}, callOf('a'), SERVER)).toEqual({ log: ['2', '1'] })
    expect(second.encode({}, callOf('a'), SERVER)).toEqual({ log: ['2'] })
    expect(first.encode({ y: 1 }, callOf('c'), SERVER)).toEqual({})
    expect(third.encode({}, callOf('a'), SERVER)).toEqual({ stamped: true })
  })

  test('a method named like a part of every object is left alone', () => {
    const result = {}
    for (const method of ['__proto__', 'constructor', 'toString'])
      expect(first.encode(result, callOf(method), SERVER)).toBe(result)
  })
})

test('changes that change nothing give back what they were given', () => {
  const value = frozen({ list: [{ a: 1 }, 5], inner: { b: 2 }, x: 1 })
  expect(
    all(
      omit('nope'),
      each('list', omit('nope')),
      at('inner', omit('nope')),
      each('x', omit('x')),
      at('x', omit('x')),
    )(value),
  ).toBe(value)
  expect(all(omit('x'), each('list', omit('a')), at('inner', omit('b')))(value)).toEqual({ list: [{}, 5], inner: {} })
})
