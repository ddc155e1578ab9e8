import { assert as always, integer, property } from 'fast-check'
import { AssertionError } from 'node:assert'
import { expect, test } from 'vitest'
import { createServer } from '../../src/server.ts'
import { tool } from '../../src/define/define.ts'
import { versions } from '../../src/protocol/revisions.ts'
import { Invalid, compile } from '../../src/schema/schema.ts'
import { connect, expectTool, fakeUser, lintDefinitions, randomArguments } from '../../src/testing/index.ts'

const add = tool(
  {
    name: 'add',
    description: 'Adds two numbers and gives their sum',
    readOnly: true,
    input: {
      type: 'object',
      properties: {
        a: { type: 'number', description: 'The first number' },
        b: { type: 'number', description: 'The second number' },
      },
      required: ['a', 'b'],
      additionalProperties: false,
    },
  },
  ({ a, b }) => {
    if (a === b) throw new Error('They are the same')
    return { sum: a + b }
  },
)

const pick = tool(
  {
    name: 'pick',
    readOnly: true,
    input: { type: 'object', properties: { list: { type: 'array', items: { type: 'string' } } } },
  },
  ({ list }) => {
    // A mistake: the list may be missing.
    return String((list as readonly string[]).length)
  },
)

const order = tool({ name: 'order' }, async (_, ctx) => {
  const schema = {
    type: 'object',
    properties: { size: { type: 'string', enum: ['S', 'M'] } },
    required: ['size'],
  } as const
  const first = await ctx.elicit('size', { message: 'Which size?', schema })
  if (first.action !== 'accept') return `not ordered: ${first.action}`
  const { content } = await ctx.sample('words', { messages: [], maxTokens: 10 })
  return JSON.stringify([first.content, content])
})

const server = () => createServer({ name: 'kit', version: '1', log: false }).add(add, pick, order)

test('expectTool says what a tool returns, refuses and fails with', async () => {
  const adding = expectTool(connect(server()), 'add')
  await expect(adding.returns({ a: 1, b: 2 }, { sum: 3 })).resolves.toBeUndefined()
  await adding.fails({ a: 1, b: 1 }, 'the same')
  await adding.fails({ a: 1, b: 1 }, /^They/)
  await adding.refuses({ a: 1, b: 'x' }, 'b')
  await adding.survives({ count: 50 })
})

test.each([
  ['another value', (tool: ReturnType<typeof expectTool>) => tool.returns({ a: 1, b: 2 }, { sum: 4 })],
  ['no failure', (tool: ReturnType<typeof expectTool>) => tool.fails({ a: 1, b: 2 }, 'x')],
  ['other words', (tool: ReturnType<typeof expectTool>) => tool.fails({ a: 1, b: 1 }, 'different')],
  ['no refusal', (tool: ReturnType<typeof expectTool>) => tool.refuses({ a: 1, b: 1 }, 'a')],
])('expectTool fails as an assertion does: %s', async (_, expecting) => {
  await expect(expecting(expectTool(connect(server()), 'add'))).rejects.toBeInstanceOf(AssertionError)
})

test('random arguments find a mistake, and name what it breaks with', async () => {
  const client = connect(server())
  await expect(expectTool(client, 'pick').survives()).rejects.toThrow("Tool 'pick' breaks with {}: Internal error")
  await expect(expectTool(client, 'none').survives()).rejects.toThrow("There is no tool 'none' in tools/list")
})

const ASKING = versions.filter(version => version >= '2025-06-18')

test.each(ASKING)('a fake user answers what a server asks in %s', async version => {
  const user = fakeUser({ forms: [{ size: 'M' }, 'decline'], model: 'a poem' })
  const client = connect(server(), { version, ...user })
  expect(await client.call('order')).toBe('[{"size":"M"},{"type":"text","text":"a poem"}]')
  expect(await client.call('order')).toBe('not ordered: decline')
  expect(user.asked.map(({ method }) => method)).toEqual([
    'elicitation/create',
    'sampling/createMessage',
    'elicitation/create',
  ])
})

test('what nobody prepared, and what does not fit a form, fails in words', async () => {
  const call = (options: Parameters<typeof fakeUser>[0]) => connect(server(), fakeUser(options)).call('order')
  await expect(call({ forms: [] })).rejects.toThrow('has no answer left (it was given 0)')
  await expect(call({ forms: [{ size: 'XL' }] })).rejects.toThrow('The answer to "Which size?" does not fit its form')
  await expect(call({ forms: ({ message }) => (message === 'Which size?' ? 'cancel' : {}) })).resolves.toBe(
    'not ordered: cancel',
  )
  await expect(call({})).rejects.toThrow('elicitation')
})

test('lintDefinitions names what clients and models would stumble over', async () => {
  const client = connect(server())
  await expect(lintDefinitions(client)).rejects.toThrow('tool pick: it has no description (description-missing)')
  await lintDefinitions(client, { ignore: ['description-missing', 'annotations-missing'] })
})

const SCHEMAS = [
  add.input,
  {
    type: 'object',
    properties: { a: { type: 'string', minLength: 3, maxLength: 5 }, b: { type: 'integer', minimum: 2, maximum: 4 } },
    required: ['a'],
  },
  {
    type: 'object',
    properties: { d: { type: 'string', format: 'date' }, u: { type: ['string', 'null'] }, c: { const: 1 } },
  },
  {
    type: 'object',
    properties: { l: { type: 'array', items: { $ref: '#/$defs/x' }, minItems: 1, uniqueItems: true } },
    $defs: { x: { enum: [1, 2, 3] } },
  },
  {
    type: 'object',
    anyOf: [
      { properties: { a: { type: 'boolean' } }, required: ['a'] },
      { properties: { b: { type: 'number', multipleOf: 0.5 } }, required: ['b'] },
    ],
  },
  {
    type: 'object',
    allOf: [{ properties: { a: { type: 'string' } }, required: ['a'] }],
    properties: { p: { type: 'string', pattern: '^x+$', examples: ['xx'] } },
  },
  { type: 'object', additionalProperties: { type: 'integer', exclusiveMinimum: 0, exclusiveMaximum: 3 } },
]

test.each(SCHEMAS.map(schema => [JSON.stringify(schema).slice(0, 60), schema as Record<string, unknown>]))(
  'random arguments fit: %s',
  (_, schema) => {
    const checker = compile(schema)
    const made = [...randomArguments(schema, { count: 60, seed: 7 })]
    expect(made.filter(value => checker.check(value) instanceof Invalid)).toEqual([])
    expect(new Set(made.map(value => JSON.stringify(value))).size).toBeGreaterThan(1)
    expect([...randomArguments(schema, { count: 60, seed: 7 })]).toEqual(made)
  },
)

test('a schema that nothing is found for says what helps', () => {
  const schema = { type: 'object', properties: { p: { type: 'string', pattern: '^x{9}y$' } }, required: ['p'] }
  expect(() => [...randomArguments(schema)]).toThrow('give "examples" where it has a pattern or a condition')
})

test('any seed gives arguments that fit', () => {
  always(
    property(integer(), seed => {
      for (const args of randomArguments(add.input as never, { count: 2, seed })) expect(typeof args.a).toBe('number')
    }),
  )
})
