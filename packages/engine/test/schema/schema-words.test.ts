import { didYouMean, nearest } from '@causeway/engine'
import type { JsonSchema } from '@causeway/engine'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { lint } from '../../src/schema/lint.ts'
import { distance } from '../../src/schema/nearest.ts'
import { show } from '../../src/schema/problems.ts'
import { Invalid, compile } from '../../src/schema/schema.ts'

const object = (properties: JsonSchema, more: JsonSchema = {}): JsonSchema => ({ type: 'object', properties, ...more })

/** What is said of a value under a schema, problem by problem. */
function said(schema: JsonSchema, value: unknown): string[] {
  const checked = compile(schema).check(value)
  return checked instanceof Invalid
    ? checked.problems.map(p => [p.what, p.hint, p.allowed].filter(x => x !== undefined).join(' | '))
    : []
}

/** Schema of the one argument `a`, what was sent for it, what is said. */
const WORDS: readonly (readonly [JsonSchema, unknown, string])[] = [
  [{ type: 'number' }, '5', "Parameter 'a' must be a number, got '5' (a string)."],
  [{ type: 'integer' }, 1.5, "Parameter 'a' must be an integer, got 1.5 (a number)."],
  [{ type: ['string', 'null'] }, 5, "Parameter 'a' must be a string or null, got 5 (a number)."],
  [{ type: 'boolean' }, null, "Parameter 'a' must be a boolean, got null (null)."],
  [{ type: 'object' }, [1], "Parameter 'a' must be an object, got [1] (an array)."],
  [{ type: 'number', minimum: 1, maximum: 9 }, 12, "Parameter 'a' must be between 1 and 9, got 12."],
  [{ type: 'number', minimum: 1, maximum: 9 }, 0, "Parameter 'a' must be between 1 and 9, got 0."],
  [{ type: 'number', minimum: 1 }, 0, "Parameter 'a' must be at least 1, got 0."],
  [{ type: 'number', maximum: 9 }, 10, "Parameter 'a' must be at most 9, got 10."],
  [{ type: 'string', minLength: 1 }, '', "Parameter 'a' must not be empty."],
  [{ type: 'string', minLength: 3 }, 'ab', "Parameter 'a' must have at least 3 characters, got 'ab'."],
  [{ const: 'x' }, 'y', "Parameter 'a' must be 'x', got 'y'."],
  [
    { enum: ['red', 'green', 3] },
    'gren',
    "Parameter 'a' must be one of the supported values, got 'gren'. | Did you mean 'green'? | red, green, 3",
  ],
  [{ enum: ['red', 'green'] }, 7, "Parameter 'a' must be one of the supported values, got 7. | red, green"],
  [{ anyOf: [{ type: 'string' }, { type: 'number' }] }, true, "Parameter 'a' must be a string or a number, got true."],
  [{ oneOf: [{ const: 'x' }, { const: 'y' }] }, 'z', "Parameter 'a' must be 'x' or 'y', got 'z'."],
  [{ type: 'array', items: { type: 'number' } }, [1, 'x'], "Parameter 'a[1]' must be a number, got 'x' (a string)."],
  [
    object({ b: { type: 'array', items: object({ c: { type: 'string' } }) } }),
    { b: [{ c: 1 }] },
    "Parameter 'a.b[0].c' must be a string, got 1 (a number).",
  ],
  [object({ b: {} }, { required: ['b'] }), {}, "Missing required parameter 'a.b'."],
  [
    object({ bee: {} }, { additionalProperties: false }),
    { be: 1 },
    "Unknown parameter 'a.be'. | Did you mean 'bee'? | bee",
  ],
  [object({}, { additionalProperties: false }), { x: 1 }, "Unknown parameter 'a.x'. | none"],
]

test.each(WORDS)('%j, sent %j', (schema, value, words) => {
  expect(said(object({ a: schema }), { a: value })).toEqual([words])
})

describe('several problems', () => {
  const schema = object(
    { first: { type: 'string' }, second: { type: 'number' }, third: { enum: ['left'] } },
    { required: ['first', 'second'], additionalProperties: false },
  )

  test('come all at once, in the order of the schema, unknown ones last', () => {
    expect(said(schema, { zzz: 1, third: 'up', second: 'no' })).toEqual([
      "Missing required parameter 'first' (a string).",
      "Parameter 'second' must be a number, got 'no' (a string).",
      "Parameter 'third' must be one of the supported values, got 'up'. | left",
      "Unknown parameter 'zzz'. | first, second, third",
    ])
  })

  test('are told of arguments that are no object', () => {
    expect(said(schema, 'words')).toEqual(["Parameter 'arguments' must be an object, got 'words' (a string)."])
  })

  test('have a name for their rule, and what was sent', () => {
    const checked = compile(schema).check({ first: 'x', second: 'no', extra: 1 })
    expect((checked as Invalid).problems.map(({ argument, rule, sent }) => [argument, rule, sent])).toEqual([
      ['second', 'type', "'no'"],
      ['extra', 'unknown', undefined],
    ])
  })
})

test('what is echoed is cut at a hundred characters', () => {
  expect(show('x'.repeat(150))).toBe(`'${'x'.repeat(99)}…`)
  expect(show(undefined)).toBe('nothing')
  expect(show({ a: ['é'] })).toBe('{"a":["é"]}')
  expect(show(Array(200).fill(1))).toHaveLength(101)
})

describe('defaults', () => {
  const schema = object({ a: { default: { list: [] } }, b: { type: 'number', default: 0 }, c: {} })

  test('fill in what is absent, and only that', () => {
    expect(compile(schema).check({ c: 1 })).toEqual({ a: { list: [] }, b: 0, c: 1 })
    expect(compile(schema).check({ a: null, b: 5 })).toEqual({ a: null, b: 5 })
  })

  test('are fresh each time, and do not touch what was sent', () => {
    const { check } = compile(schema)
    const sent = Object.freeze({})
    const filled = check(sent) as { a: { list: unknown[] } }
    filled.a.list.push(1)
    expect(check(sent)).toEqual({ a: { list: [] }, b: 0 })
    expect(sent).toEqual({})
  })
})

/** A malformed schema, and how it is told. */
const FAULTS: readonly (readonly [unknown, string])[] = [
  ['text', '# must be a schema object, not "text"'],
  [
    { type: 'strnig' },
    '#/type must be one of object, string, number, integer, boolean, array, null, or an array of them',
  ],
  [{ type: [] }, '#/type must be one of object, string, number, integer, boolean, array, null, or an array of them'],
  [{ required: 'a' }, '#/required must be an array of property names'],
  [{ enum: [] }, '#/enum must be a non-empty array of values'],
  [{ minLength: -1 }, '#/minLength must be a whole number, 0 or more'],
  [{ multipleOf: 0 }, '#/multipleOf must be a number above 0'],
  [{ properties: [] }, '#/properties must be an object that maps names to schemas'],
  [
    { properties: { a: { type: 5 } } },
    '#/properties/a/type must be one of object, string, number, integer, boolean, array, null, or an array of them',
  ],
  [{ anyOf: {} }, '#/anyOf must be an array of schemas'],
  [{ allOf: [true, 5] }, '#/allOf/1 must be a schema object, not 5'],
  [{ items: { $ref: '#/$defs/x' } }, "#/items/$ref '#/$defs/x' points to nothing in this schema"],
  [{ $defs: { 'a/b': { $ref: '#b' } } }, "#/$defs/a~1b/$ref '#b' points to nothing in this schema"],
  [{ $ref: '#/%', '%': {} }, "#/$ref '#/%' points to nothing in this schema"],
  [{ $ref: '' }, '#/$ref must be a reference, such as "#/$defs/name"'],
  [{ description: 5 }, '#/description must be a string'],
]

test.each(FAULTS)('[S-TOOL-09] the schema %j is malformed', (schema, words) => {
  expect(lint(schema)).toEqual([words])
})

test('a pattern that is no regular expression is malformed, with the reason', () => {
  expect(lint({ pattern: '(' })[0]).toMatch(/^#\/pattern is not a valid regular expression under the u flag: .+/)
})

test('a schema nested without end is refused, not followed', () => {
  let schema: Record<string, unknown> = {}
  for (let i = 0; i < 100; i++) schema = { not: schema }
  expect(lint(schema)[0]).toMatch(/is nested more than 64 schemas deep$/)
})

test('[S-TOOL-09] what is right, or none of ours, is left alone', () => {
  for (const schema of [
    {},
    true,
    { 'x-mine': 5, $ref: '#/$defs/a', $defs: { a: {} } },
    { $ref: '#/$defs/a~1b%20c', $defs: { 'a/b c': {} } },
    { default: { type: 5 }, examples: [1] },
  ]) {
    expect(lint(schema), JSON.stringify(schema)).toEqual([])
  }
})

const N = { type: 'number' }
/** Schemas whose member `a` is a number by way of a reference. */
const FOLLOWED: readonly JsonSchema[] = [
  { properties: { a: { $ref: '#/$defs/n' } }, $defs: { n: N } },
  { properties: { a: { $ref: '#/$defs/50%25~1n' } }, $defs: { '50%/n': N } },
  { properties: { a: { $ref: '#n' } }, $defs: { n: { $anchor: 'n', ...N } } },
  { properties: { a: { $dynamicRef: '#n' } }, $defs: { n: { $dynamicAnchor: 'n', ...N } } },
  { properties: { a: { $ref: 'https://example.com/n' } }, $defs: { n: { $id: 'https://example.com/n', ...N } } },
  { properties: { a: { $ref: 'urn:x:n' } }, $defs: { n: { $id: 'urn:x:n', ...N } } },
  { $id: 'urn:x:s', properties: { a: { $ref: 'n' } }, $defs: { n: { $id: 'n', ...N } } },
  { $id: 'https://example.com/s', properties: { a: { $ref: 'n' } }, $defs: { n: { $id: 'n', ...N } } },
  { $id: 'https://example.com/s', properties: { a: { $ref: 'https://example.com/s#/$defs/n' } }, $defs: { n: N } },
  { $ref: 'm', $defs: { m: { $id: 'm', properties: { a: { $ref: '#/$defs/n' } }, $defs: { n: N } } } },
  { properties: { a: N }, default: { $ref: 'https://example.com/data' }, enum: [{ a: 1, $ref: 'x' }, { a: 1 }] },
]

test.each(FOLLOWED)('[S-TOOL-09] a reference inside the document is followed: %j', schema => {
  expect(lint(schema)).toEqual([])
  expect(compile(schema).check({ a: 1 })).toEqual({ a: 1 })
  expect(compile(schema).check({ a: 'x' })).toBeInstanceOf(Invalid)
})

test.each(['https://example.com/s', 'http://localhost/s#/$defs/x', 'other.json', '../s.json#x', 'urn:x:s'])(
  '[S-TOOL-09] a reference to another document, %s, is refused with what to do: it is never fetched',
  to => {
    const words = `'${to}' is in another document, and other documents are never fetched: copy what it names under "$defs" and refer to that as "#/$defs/…"`
    expect(lint({ properties: { a: { $ref: to } } })).toEqual([`#/properties/a/$ref ${words}`])
    expect(lint({ anyOf: [{}, { $dynamicRef: to }] })).toEqual([`#/anyOf/1/$dynamicRef ${words}`])
    expect(lint({ $id: 'https://example.com/mine', unevaluatedProperties: { $ref: to } })).toHaveLength(1)
  },
)

describe('the nearest name', () => {
  const known = ['read_file', 'write_file', 'list_files', 'add_numbers']

  test('is found through slips of the finger', () => {
    expect(nearest('raed_file', known)).toEqual(['read_file'])
    expect(nearest('READ_FILE', known)).toEqual(['read_file'])
    expect(nearest('add_number', known)).toEqual(['add_numbers'])
    expect(nearest('frobnicate', known)).toEqual([])
    expect(nearest('', known)).toEqual([])
  })

  test('is not guessed where too little is written to tell', () => {
    expect(nearest('c', ['a', 'b', 'cc', 'C'])).toEqual(['C'])
    expect(nearest('id', ['x', 'i', 'ib', 'ix', 'di', 'uid', 'ids'])).toEqual(['ids', 'uid'])
  })

  test('has at least two letters in three in common with what was written, and both ways round', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '_'), minLength: 1, maxLength: 8 })
    fc.assert(
      fc.property(word, word, (a, b) => {
        const far = distance(a, b, 8)
        expect(nearest(a, [b])).toEqual(far * 3 <= Math.max(a.length, b.length) ? [b] : [])
        expect(nearest(b, [a]).length).toBe(nearest(a, [b]).length)
      }),
    )
  })

  test('comes first, at most three do, and equals by the alphabet', () => {
    expect(nearest('aab', ['abb', 'aaa', 'aab', 'bab', 'caab'])).toEqual(['aab', 'aaa', 'abb'])
    expect(nearest('aab', ['aaa', 'aab'], 1)).toEqual(['aab'])
  })

  test('is not looked for when names are overlong', () => {
    expect(nearest('x'.repeat(129), ['x'.repeat(129)])).toEqual([])
    expect(nearest('x'.repeat(128), ['x'.repeat(128), 'x'.repeat(129)])).toEqual(['x'.repeat(128)])
  })

  test('is put as a question', () => {
    expect(didYouMean('contxt', ['context', 'contest', 'other'])).toBe("Did you mean 'context' or 'contest'?")
    expect(didYouMean('zzz', ['context'])).toBeUndefined()
  })

  test('is measured by edits, a swap of neighbours counting once', () => {
    expect(distance('abcd', 'abdc', 4)).toBe(1)
    expect(distance('kitten', 'sitting', 9)).toBe(3)
    expect(distance('', 'abc', 9)).toBe(3)
    expect(distance('abc', 'abc', 0)).toBe(0)
    expect(distance('abc', 'xyz', 1)).toBeGreaterThan(1)
  })
})
