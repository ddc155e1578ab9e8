import { createServer, tool } from '@causeway/engine'
import { audit, observe } from '@causeway/engine/policies'
import { connect } from '@causeway/engine/testing'
import type { JsonSchema } from '@causeway/engine'
import type { AuditEntry } from '@causeway/engine/policies'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compile, Invalid } from '../../src/schema/schema.ts'
import { ALL } from '../support/scenario.ts'

const repair = (schema: JsonSchema, value: unknown): unknown => {
  const found = compile(schema).repair(value)
  return found && [found.value, ...found.repairs.map(r => `${r.argument}: ${r.repair}`)]
}
const object = (properties: object, more: object = {}): JsonSchema => ({ type: 'object', properties, ...more })

const NODE = {
  type: 'object',
  properties: { n: { type: 'integer' }, next: { $ref: '#/$defs/node' } },
  required: ['n'],
} as const

describe('what has one meaning is repaired', () => {
  test.each<[string, JsonSchema, unknown, unknown]>([
    ['a number', object({ n: { type: 'integer' } }), { n: '5' }, [{ n: 5 }, 'n: number']],
    ['a fraction', object({ n: { type: 'number' } }), { n: '-0.25' }, [{ n: -0.25 }, 'n: number']],
    ['a whole fraction', object({ n: { type: 'integer' } }), { n: '5.0' }, [{ n: 5 }, 'n: number']],
    ['true', object({ b: { type: 'boolean' } }), { b: 'true' }, [{ b: true }, 'b: boolean']],
    ['True', object({ b: { type: 'boolean' } }), { b: 'True' }, [{ b: true }, 'b: boolean']],
    ['FALSE', object({ b: { type: 'boolean' } }), { b: 'FALSE' }, [{ b: false }, 'b: boolean']],
    [
      'an object as text',
      object({ o: object({ a: { type: 'string' } }) }),
      { o: '{"a":"x"}' },
      [{ o: { a: 'x' } }, 'o: json'],
    ],
    ['a list as text', object({ l: { type: 'array' } }), { l: '[1,2]' }, [{ l: [1, 2] }, 'l: json']],
    [
      'text that is a list, before a list of that text',
      object({ l: { type: 'array', items: { type: 'string' } } }),
      { l: '["a"]' },
      [{ l: ['a'] }, 'l: json'],
    ],
    [
      'one for a list',
      object({ l: { type: 'array', items: { type: 'string' } } }),
      { l: 'a' },
      [{ l: ['a'] }, 'l: list'],
    ],
    [
      'one number as text for a list',
      object({ l: { type: 'array', items: { type: 'integer' } } }),
      { l: '5' },
      [{ l: [5] }, 'l: list', 'l[0]: number'],
    ],
    ['null for nothing', object({ s: { type: 'string' } }), { s: null }, [{}, 's: absent']],
    ['another case', object({ e: { enum: ['Open', 'Closed'] } }), { e: 'open' }, [{ e: 'Open' }, 'e: case']],
    [
      'inside lists and objects, by a reference',
      { ...NODE, $defs: { node: NODE } },
      { n: 1, next: { n: '2', next: '{"n":"3"}' } },
      [{ n: 1, next: { n: 2, next: { n: 3 } } }, 'next.n: number', 'next.next: json', 'next.next.n: number'],
    ],
    [
      'the only branch that takes it',
      object({ v: { anyOf: [{ type: 'integer' }, { type: 'boolean' }] } }),
      { v: 'true' },
      [{ v: true }, 'v: boolean'],
    ],
    [
      'everything that must hold',
      object({ a: {}, b: {} }, { allOf: [object({ a: { type: 'integer' } }), object({ b: { type: 'integer' } })] }),
      { a: '1', b: '2' },
      [{ a: 1, b: 2 }, 'a: number', 'b: number'],
    ],
  ])('%s', (_, schema, sent, expected) => {
    expect(repair(schema, sent)).toEqual(expected)
  })
})

describe('what loses something, or can mean two things, is not', () => {
  test.each<[string, JsonSchema, unknown]>([
    ['a number with more digits than one has', object({ n: { type: 'integer' } }), { n: '12345678901234567890' }],
    ['a fraction where a whole number is wanted', object({ n: { type: 'integer' } }), { n: '5.5' }],
    ['a number among words', object({ n: { type: 'integer' } }), { n: '5 apples' }],
    ['a number with blanks', object({ n: { type: 'integer' } }), { n: ' 5' }],
    ['hexadecimal', object({ n: { type: 'integer' } }), { n: '0x10' }],
    ['a number too large', object({ n: { type: 'number' } }), { n: '1e999' }],
    ['a number too small', object({ n: { type: 'number' } }), { n: '1e-999' }],
    ['zero below zero', object({ n: { type: 'number' } }), { n: '-0' }],
    ['yes', object({ b: { type: 'boolean' } }), { b: 'yes' }],
    ['1 for true', object({ b: { type: 'boolean' } }), { b: 1 }],
    ['a number for a text', object({ s: { type: 'string' } }), { s: 5 }],
    ['a list of one for one', object({ s: { type: 'string' } }), { s: ['a'] }],
    ['nothing for a list', object({ l: { type: 'array', items: { type: 'string' } } }), { l: '' }],
    ['null for what is required', object({ s: { type: 'string' } }, { required: ['s'] }), { s: null }],
    ['two choices that differ by case', object({ e: { enum: ['ab', 'AB'] } }), { e: 'Ab' }],
    ['a text that names a member twice', object({ o: { type: 'object' } }), { o: '{"a":1,"a":2}' }],
    [
      'a branch that takes it as one, and one that takes it as a list',
      object({ v: { anyOf: [{ type: 'integer' }, { type: 'array', items: { type: 'integer' } }] } }),
      { v: '5' },
    ],
    ['a mistake beside one that could be repaired', object({ n: { type: 'integer' } }), { n: '5', m: 1, n2: null }],
  ])('%s', (_, schema, sent) => {
    const strict = { ...schema, additionalProperties: false }
    expect(repair(strict, sent)).toBeUndefined()
  })
})

describe('for any schema and any value', () => {
  const leaf = fc.oneof(
    fc.constantFrom<JsonSchema>({ type: 'integer' }, { type: 'number', minimum: 3 }, { type: 'boolean' }),
    fc.constantFrom<JsonSchema>({ type: 'string' }, { enum: ['Red', 'green', 7] }, { type: ['string', 'null'] }),
    fc.constantFrom<JsonSchema>({ const: 'On' }, { type: 'string', maxLength: 2 }, { $ref: '#/$defs/shared' }),
  )
  const { schema } = fc.letrec<{ schema: JsonSchema }>(tie => ({
    schema: fc.oneof(
      { maxDepth: 3 },
      leaf,
      fc.record({ items: tie('schema') }).map(({ items }) => ({ type: 'array', items })),
      fc
        .dictionary(fc.constantFrom('a', 'b', '__proto__', 'x/y~'), tie('schema'), { maxKeys: 3 })
        .chain(properties =>
          fc
            .subarray(Object.keys(properties))
            .map(required => ({ type: 'object', properties, required, additionalProperties: false })),
        ),
      fc.array(tie('schema'), { minLength: 1, maxLength: 3 }).map(anyOf => ({ anyOf })),
    ),
  }))
  const value = fc.oneof(
    fc.jsonValue({ maxDepth: 3 }),
    fc.constantFrom<unknown>('5', 'true', 'RED', 'on', '[1,"2"]', '{"a":"1","b":null}', null, '{"__proto__":{"a":1}}'),
    fc.dictionary(fc.constantFrom('a', 'b', '__proto__', 'x/y~'), fc.constantFrom<unknown>('5', 'red', null, '[]', 4)),
  )
  const whole = (inner: JsonSchema): JsonSchema => ({
    type: 'object',
    properties: { v: inner },
    $defs: { shared: { type: 'integer' } },
  })

  test('what is repaired fits, what fits is left as it is, and repairing again changes nothing', () => {
    let repaired = 0
    fc.assert(
      fc.property(schema, value, (inner, v) => {
        const checker = compile(whole(inner))
        const sent = JSON.parse(JSON.stringify({ v })) as object
        const before = JSON.stringify(sent)
        const fits = !(checker.check(sent) instanceof Invalid)
        const found = checker.repair(sent)
        expect(JSON.stringify(sent)).toBe(before)
        expect(({} as { a?: unknown }).a).toBeUndefined()
        // What fits is left as it is; what is made of the rest fits.
        expect(fits && found !== undefined).toBe(false)
        expect(found === undefined || found.repairs.length > 0).toBe(true)
        expect(found && checker.check(found.value)).not.toBeInstanceOf(Invalid)
        expect(found && checker.repair(found.value)).toBeUndefined()
        repaired += found ? 1 : 0
      }),
      { numRuns: 500 },
    )
    expect(repaired).toBeGreaterThan(20)
  })

  test('what is deep or large is left alone, in little time', () => {
    const checker = compile({ type: 'object', properties: { l: { $ref: '#/$defs/l' } }, $defs: DEEP })
    const deep = `${'['.repeat(900)}"5"${']'.repeat(900)}`
    expect(checker.repair({ l: JSON.parse(deep) })).toBeUndefined()
    expect(checker.repair({ l: deep })).toBeUndefined()
    expect(checker.repair({ l: '['.repeat(500_000) })).toBeUndefined()
    expect(checker.repair({ l: Array.from({ length: 200_000 }, () => '5') })).toBeUndefined()
    const forks = compile({ type: 'object', properties: { f: { $ref: '#/$defs/f' } }, $defs: FORKS })
    expect(forks.repair({ f: { f: { f: { f: { f: { f: 'x' } } } } } })).toBeUndefined()
  })
})

const DEEP = { l: { type: 'array', items: { anyOf: [{ type: 'integer' }, { $ref: '#/$defs/l' }] } } } as const
const fork = { type: 'object', properties: { f: { $ref: '#/$defs/f' } } } as const
const FORKS = { f: { anyOf: [fork, fork, fork, fork, { type: 'integer' }] } } as const

describe('over the wire', () => {
  const input = { type: 'object', properties: { n: { type: 'integer' }, s: { type: 'string' } } } as const
  const lines: AuditEntry[] = []
  const server = createServer({ name: 's', version: '1' })
    .use(observe([audit(line => lines.push(line))]))
    .add(
      tool({ name: 'double', input }, ({ n = 0 }) => ({ twice: n * 2 })),
      tool({ name: 'fails', input }, () => {
        throw new Error('No.')
      }),
    )

  test.each(ALL)('the result and the audit name each repair, in %s', async version => {
    const client = connect(server, { version })
    const repaired = [{ argument: 'n', repair: 'number' }]
    const { _meta, content } = await client.request('tools/call', { name: 'double', arguments: { n: '4' } })
    expect(content).toEqual([{ type: 'text', text: '{"twice":8}' }])
    expect(_meta).toMatchObject({ 'dev.causeway/repaired': repaired })
    expect(lines.at(-1)).toMatchObject({ arguments: { n: '4' }, repaired, outcome: 'ok' })
    const failed = await client.request('tools/call', { name: 'fails', arguments: { n: '4' } })
    expect(failed).toMatchObject({ isError: true, _meta: { 'dev.causeway/repaired': repaired } })
    const plain = await client.request('tools/call', { name: 'double', arguments: { n: 4, s: '5' } })
    expect(plain._meta ?? {}).not.toHaveProperty(['dev.causeway/repaired'])
    expect(lines.at(-1)).not.toHaveProperty('repaired')
  })

  test('what cannot be repaired is refused as it was sent', async () => {
    const { content } = await connect(server).request('tools/call', { name: 'double', arguments: { n: '4', s: 5 } })
    expect(JSON.stringify(content)).toContain("'n'")
    expect(JSON.stringify(content)).toContain("'s'")
  })

  test('a server may be strict', async () => {
    const strict = createServer({ name: 's', version: '1', repair: false }).add(tool({ name: 't', input }, () => 'ran'))
    await expect(connect(strict).call('t', { n: '4' })).rejects.toThrow("'n'")
  })
})
