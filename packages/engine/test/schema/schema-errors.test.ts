import { createServer, RpcError, tool } from '@causeway/engine'
import { connect } from '@causeway/engine/testing'
import type { Dialect, JsonSchema, Params } from '@causeway/engine'
import type { Client } from '@causeway/engine/testing'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'

const CODES: Dialect = { errors: { 'invalid-arguments': -32602 } }
const SHOWN = 100
const LISTED = 20

function serving(input: JsonSchema, dialect?: Dialect): Client {
  const spec = { name: 'take', version: '1.0.0', ...(dialect && { dialect }) }
  return connect(createServer(spec).add(tool({ name: 'take', input }, () => 'taken')))
}

const say = async (client: Client, args: Params): Promise<string> => {
  const { content, isError } = await client.request('tools/call', { name: 'take', arguments: args })
  const [{ text }] = content as [{ text: string }]
  return isError === true ? text : ''
}

const property = fc.oneof(
  fc.constantFrom('a', 'b', 'name', 'limit', 'a/b', 'a~b', 'a.b', '0', ''),
  fc.string({ maxLength: 5 }),
)
const name = fc.oneof(property, fc.constantFrom('__proto__', 'constructor', 'toString'))
const small = fc.nat({ max: 5 })
const leaf: fc.Arbitrary<JsonSchema> = fc.oneof(
  fc.record({ type: fc.constant('string'), minLength: small, maxLength: small }, { requiredKeys: ['type'] }),
  fc.record({ type: fc.constant('string'), pattern: fc.constantFrom('^a+$', '^\\d{2}$') }),
  fc.record({ type: fc.constant('string'), format: fc.constantFrom('email', 'uri', 'date-time', 'unheard-of') }),
  fc.record(
    { type: fc.constantFrom('number', 'integer'), minimum: small, exclusiveMaximum: small, multipleOf: fc.constant(2) },
    { requiredKeys: ['type'] },
  ),
  fc.record({ enum: fc.array(fc.oneof(fc.string(), fc.integer(), fc.constant(null)), { minLength: 1, maxLength: 4 }) }),
  fc.record({ const: fc.jsonValue({ maxDepth: 1 }) }),
  fc.record({ type: fc.constantFrom('boolean', 'null', 'array', 'object', ['string', 'null']) }),
  fc.constant({}),
)
const { schema } = fc.letrec<{ schema: JsonSchema; object: JsonSchema }>(tie => ({
  schema: fc.oneof(
    { depthSize: 'small', maxDepth: 2 },
    leaf,
    fc.record({ type: fc.constant('array'), items: tie('schema'), maxItems: small, uniqueItems: fc.boolean() }),
    fc.record({ anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }) }),
    fc.record({ oneOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }) }),
    fc.record({ allOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }) }),
    fc.record({ not: tie('schema') }),
    fc.tuple(tie('schema'), tie('schema')).map(([first, second]) => ({ if: first, else: second })),
    tie('object'),
  ),
  object: fc.record(
    {
      type: fc.constant('object'),
      properties: fc.dictionary(property, tie('schema'), { maxKeys: 4 }),
      required: fc.uniqueArray(property, { maxLength: 3 }),
      additionalProperties: fc.oneof(fc.boolean(), tie('schema')),
      propertyNames: fc.constantFrom({ maxLength: 3 }, { pattern: '^[a-z]*$' }),
      minProperties: small,
      maxProperties: small,
    },
    { requiredKeys: ['type'] },
  ),
}))
const root = schema.map((inner): JsonSchema =>
  inner.type === 'object'
    ? describedOnly(inner)
    : { type: 'object', properties: { a: inner, b: inner }, required: ['a'] },
)

/** A tool that requires what it does not describe is refused when it is registered. */
function describedOnly(input: JsonSchema): JsonSchema {
  const { properties = {}, required } = input as { properties?: object; required?: string[] }
  return required ? { ...input, properties, required: required.filter(key => Object.hasOwn(properties, key)) } : input
}
const values = fc.dictionary(name, fc.jsonValue({ maxDepth: 3 }), { maxKeys: 6 })

describe('for any schema and any arguments', () => {
  test('the answer is the tool’s, or a result that lists what is wrong', async () => {
    const holds = fc.asyncProperty(root, values, async (input, args) => {
      const text = await say(serving(input), args)
      if (text === '') return
      expect(text).toMatch(/^Invalid arguments for tool 'take':[ \n]/)
      expect(problemLines(text)).toBeLessThanOrEqual(LISTED)
      expect(text).not.toContain('undefined')
      expect(text).not.toContain('[object')
    })
    await fc.assert(holds, { numRuns: 500 })
  })

  test('as a protocol error it carries the same, as data', async () => {
    const holds = fc.asyncProperty(root, values, async (input, args) => {
      const client = serving(input, CODES)
      const error: unknown = await client.call('take', args).catch((e: unknown) => e)
      if (error === 'taken') return
      expect(error).toMatchObject({ code: -32602, data: { tool: 'take', problems: expect.any(Array) } })
      const { problems } = (error as RpcError).data as { problems: object[] }
      expect(problems.length).toBeGreaterThanOrEqual(1)
      expect(problems.length).toBeLessThanOrEqual(LISTED)
      for (const problem of problems) {
        expect(problem).toMatchObject({
          argument: expect.any(String),
          rule: expect.any(String),
          what: expect.any(String),
        })
      }
    })
    await fc.assert(holds, { numRuns: 300 })
  })
})

const problemLines = (text: string): number =>
  text.split('\n- ').filter(line => !/^and \d+ more$/.test(line)).length - 1

describe('what is shown is bounded', () => {
  test('at most twenty problems are listed, and the rest counted', async () => {
    const client = serving({ type: 'object', properties: { a: { type: 'number' } }, additionalProperties: false })
    const holds = fc.asyncProperty(fc.integer({ min: 1, max: 100 }), async count => {
      const text = await say(client, Object.fromEntries(Array.from({ length: count }, (_, i) => [`key${i}`, i])))
      expect(text.match(/Unknown parameter/g)).toHaveLength(Math.min(count, LISTED))
      expect(/- and (\d+) more$/.exec(text)?.[1]).toBe(count > LISTED ? String(count - LISTED) : undefined)
    })
    await fc.assert(holds)
  })

  test('a hundred thousand unknown parameters make no long answer', async () => {
    const client = serving({ type: 'object', properties: {}, additionalProperties: false })
    const text = await say(client, Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`key${i}`, i])))
    expect(text).toContain("Unknown parameter 'key0'.")
    expect(text).toMatch(/- and 99980 more$/)
    expect(text.length).toBeLessThan(5000)
  })

  test('a hundred thousand wrong items make no long answer', async () => {
    const client = serving({ type: 'object', properties: { a: { type: 'array', items: { type: 'number' } } } })
    const text = await say(client, { a: Array.from({ length: 100_000 }, () => 'x') })
    expect(problemLines(text)).toBe(LISTED)
    expect(text.length).toBeLessThan(5000)
  })

  /** One way for each rule in which a long value may come back. */
  const echoing: readonly JsonSchema[] = [
    { type: 'number' },
    { enum: ['x', 'y'] },
    { const: 1 },
    { type: 'string', maxLength: 3 },
    { type: 'string', pattern: '^\\d$' },
    { type: 'string', format: 'email' },
    { anyOf: [{ type: 'number' }, { type: 'boolean' }] },
    { oneOf: [{ const: 'x' }, { const: 'y' }] },
    { not: {} },
    { type: 'object', additionalProperties: false },
    { type: 'object', additionalProperties: { type: 'number' } },
    { type: 'object', propertyNames: { maxLength: 3 } },
    { type: 'object', properties: { x: { type: 'string' } }, required: ['x'] },
    { type: 'object', additionalProperties: { type: 'object', required: ['x'] } },
    { type: 'array', items: { type: 'number' }, maxItems: 1 },
  ]
  const long = 'z'.repeat(5000)
  const longs: readonly unknown[] = [long, [long], [long, long], { [long]: 'x' }, { x: { [long]: long } }, [[[long]]]]

  test.each(echoing)('what was sent is cut at a hundred characters: %j', async rule => {
    const client = serving({ type: 'object', properties: { a: rule } })
    const texts = await Promise.all(longs.map(value => say(client, { a: value })))
    expect(texts.some(text => text !== '')).toBe(true)
    for (const text of texts) expect(text).not.toContain('z'.repeat(SHOWN + 1))
  })

  test.each(echoing)('also in the data of a protocol error: %j', async rule => {
    const client = serving({ type: 'object', properties: { a: rule } }, CODES)
    const errors = await Promise.all(longs.map(value => client.call('take', { a: value }).catch((e: unknown) => e)))
    expect(errors.some(error => error instanceof RpcError)).toBe(true)
    for (const error of errors) {
      const { message, data } = error instanceof RpcError ? error : {}
      expect(JSON.stringify({ message, data })).not.toContain('z'.repeat(SHOWN + 1))
    }
  })

  test('a member that must be of some type is not unknown', async () => {
    const client = serving({ type: 'object', additionalProperties: { type: 'number' } })
    expect(await say(client, { a: 'x' })).toBe(
      "Invalid arguments for tool 'take': Parameter 'a' must be a number, got 'x' (a string).",
    )
  })

  test('a long unknown parameter is cut too', async () => {
    const client = serving({ type: 'object', properties: {}, additionalProperties: false })
    expect(await say(client, { [long]: 1 })).not.toContain('z'.repeat(SHOWN + 1))
  })
})

describe('suggestions', () => {
  const known = 'k'.repeat(128)
  const client = serving({
    type: 'object',
    properties: { context: { type: 'string' }, [known]: { enum: ['python', known] } },
    additionalProperties: false,
  })

  test('name the nearest parameter and the nearest value', async () => {
    const text = await say(client, { contxt: 'x', [known]: 'pyton' })
    expect(text).toContain("Unknown parameter 'contxt'. Did you mean 'context'?")
    expect(text).toContain("Did you mean 'python'?")
  })

  test('are made for names of up to 128 characters, not beyond', async () => {
    expect(await say(client, { ['k'.repeat(127)]: 1 })).toContain('Did you mean')
    expect(await say(client, { ['k'.repeat(129)]: 1 })).not.toContain('Did you mean')
    expect(await say(client, { [known]: 'k'.repeat(129) })).not.toContain('Did you mean')
  })

  test('for an unknown tool too', async () => {
    const server = createServer({ name: 'names', version: '1.0.0' }).add(tool({ name: known }, () => 'x'))
    const data = async (name: string): Promise<unknown> =>
      connect(server)
        .call(name)
        .catch((error: unknown) => (error instanceof RpcError ? error.data : error))
    expect(await data('k'.repeat(127))).toMatchObject({ suggestions: [known] })
    expect(await data('k'.repeat(129))).toBeUndefined()
  })

  test('never throw, whatever the name', async () => {
    const holds = fc.asyncProperty(fc.oneof(name, fc.string({ unit: 'binary', maxLength: 300 })), async given => {
      const text = await say(client, { [given]: 'python' })
      expect(given.length > 128 && text.includes('Did you mean')).toBe(false)
    })
    await fc.assert(holds)
  })
})

test('an argument named like an inherited member is absent unless sent', async () => {
  const client = serving({
    type: 'object',
    properties: { toString: { type: 'string' }, constructor: { type: 'string' } },
    required: ['constructor'],
    additionalProperties: false,
  })
  expect(await say(client, { constructor: 'mine' })).not.toContain('Invalid')
  expect(await say(client, {})).toContain("Missing required parameter 'constructor'")
})
