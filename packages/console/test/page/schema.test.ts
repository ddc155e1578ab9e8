import { expect, test } from 'vitest'
import { choicesOf, faultOf, initial, fieldKind, resolve } from '../../src/page/schema/schema.ts'
import type { Schema } from '../../src/page/schema/schema.ts'

const kind = (schema: Schema, root: Schema = {}): string => fieldKind(resolve(schema, root), root)

test('each schema has its field', () => {
  expect(kind({ type: 'string' })).toBe('text')
  expect(kind({ type: ['string', 'null'] })).toBe('text')
  expect(kind({ anyOf: [{ type: 'integer' }, { type: 'null' }] })).toBe('number')
  expect(kind({ enum: ['a', 'b'] })).toBe('choice')
  expect(kind({ oneOf: [{ const: 1, title: 'One' }, { const: 2 }] })).toBe('choice')
  expect(kind({ type: 'array', items: { enum: ['a'] } })).toBe('choices')
  expect(kind({ type: 'array', items: { type: 'object' } })).toBe('array')
  expect(kind({ type: 'object', properties: {} })).toBe('object')
  expect(kind({ type: 'object', additionalProperties: { type: 'string' } })).toBe('map')
  expect(kind({ oneOf: [{ type: 'string' }, { type: 'number' }] })).toBe('union')
  expect(kind({ type: ['string', 'number'] })).toBe('union')
  expect(kind({ const: 3 })).toBe('const')
  expect(kind({})).toBe('any')
  expect(kind({ type: 'boolean' })).toBe('boolean')
})

test('references are followed, in circles too, and allOf is put together', () => {
  const root = {
    $defs: {
      a: { $ref: '#/$defs/b' },
      b: { type: 'integer' },
      c: { $ref: '#/$defs/c' },
      d: { $anchor: 'd', type: 'boolean' },
    },
  }
  expect(kind({ $ref: '#/$defs/a' }, root)).toBe('number')
  expect(kind({ $ref: '#d' }, root)).toBe('boolean')
  expect(resolve({ $ref: '#/$defs/c' }, root)).toBeDefined()
  const both = resolve({ allOf: [{ properties: { x: {} }, required: ['x'] }, { properties: { y: {} } }] }, {})
  expect([Object.keys(both.properties as object), both.required]).toEqual([['x', 'y'], ['x']])
})

test('a form begins with defaults, constants and required objects', () => {
  const schema = {
    type: 'object',
    properties: {
      a: { type: 'integer', default: 3 },
      b: { type: 'string' },
      c: { type: 'object', properties: { kind: { const: 'x' } }, required: ['kind'] },
    },
    required: ['b', 'c'],
  }
  expect(initial(schema, schema)).toEqual({ a: 3, c: { kind: 'x' } })
  const circle: Schema = { type: 'object', properties: { self: { $ref: '#' } }, required: ['self'] }
  expect(initial(circle, circle)).toBeDefined()
})

test('what is wrong is said in a few words', () => {
  expect(faultOf({ type: 'string' }, undefined, true)).toBe('Required')
  expect(faultOf({ type: 'string', minLength: 2 }, 'a', true)).toBe('At least 2 characters')
  expect(faultOf({ type: 'string', pattern: '^a' }, 'b', false)).toBe('Must match ^a')
  expect(faultOf({ type: 'string', pattern: '(' }, 'b', false)).toBe('')
  expect(faultOf({ type: 'integer', maximum: 5 }, 6, false)).toBe('At most 5')
  expect(faultOf({ type: 'integer' }, 1.5, false)).toBe('A whole number')
  expect(choicesOf({ enum: ['a', null], enumNames: ['A'] })).toEqual([{ value: 'a', title: 'A' }])
})
