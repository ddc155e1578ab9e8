import type { Params, Result } from '@causeway/engine'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Call, Implementation, Revision } from '../../src/call.ts'
import { find, revisions } from '../../src/protocol/revisions.ts'

const SERVER: Implementation = { name: 's', version: '1' }
const callOf = (method: string): Call =>
  ({ method, descriptor: { name: method, cacheable: /list$|read$/.test(method) } }) as Call

/** Is the revision at least that one, so that it has what came with it? */
const since = (revision: Revision, version: string): boolean => revision.version >= version

const words = fc.string({ maxLength: 8 })
/** A member nobody knows, which must survive both ways. */
const unknown = fc.option(fc.record({ 'com.example/x': fc.jsonValue({ maxDepth: 1 }) }), { nil: {} })
const optional = <T>(name: string, value: fc.Arbitrary<T>, has: boolean): fc.Arbitrary<Params> =>
  has ? fc.option(fc.record({ [name]: value }), { nil: {} }) : fc.constant({})
const merged = (...parts: fc.Arbitrary<Params>[]): fc.Arbitrary<Params> =>
  fc.tuple(...parts).map(values => Object.assign({}, ...values))

const block = (revision: Revision): fc.Arbitrary<Params> =>
  merged(
    fc.oneof(
      fc.record({ type: fc.constant('text'), text: words }),
      fc.record({ type: fc.constant('image'), data: words, mimeType: words }),
      fc.record({ type: fc.constant('audio'), data: words, mimeType: words }),
      fc.record({ type: fc.constant('resource'), resource: fc.record({ uri: words, text: words }) }),
      ...(since(revision, '2025-06-18')
        ? [fc.record({ type: fc.constant('resource_link'), uri: words, name: words })]
        : []),
    ),
    optional('annotations', fc.record({ priority: fc.constant(0.5) }), true),
    optional('_meta', fc.record({ m: words }), since(revision, '2025-06-18')),
    unknown,
  )

const listed = (revision: Revision, member: string, own: fc.Arbitrary<Params>): fc.Arbitrary<Result> =>
  merged(
    fc.record({
      [member]: fc.array(
        merged(
          own,
          optional('title', words, since(revision, '2025-06-18')),
          optional('icons', fc.constant([{ src: 'https://example.com/a.png' }]), since(revision, '2025-11-25')),
          optional('_meta', fc.record({ m: words }), since(revision, '2025-06-18')),
          unknown,
        ),
        { maxLength: 3 },
      ),
    }),
    optional('nextCursor', words, true),
    since(revision, '2026-07-28')
      ? fc.option(fc.record({ ttlMs: fc.integer({ min: 1, max: 9 }), cacheScope: fc.constant('public') }), { nil: {} })
      : fc.constant({}),
  )

const SCHEMA = { type: 'object', properties: { a: { type: 'string' } } }

/** What a revision can express, by method. */
const results = (revision: Revision): Readonly<Record<string, fc.Arbitrary<Result>>> => ({
  'tools/list': listed(
    revision,
    'tools',
    merged(
      fc.record({ name: words, inputSchema: fc.constant(SCHEMA) }),
      optional('execution', fc.constant({ taskSupport: 'optional' }), revision.capabilities.has('tasks')),
      optional('annotations', fc.record({ readOnlyHint: fc.boolean() }), since(revision, '2025-03-26')),
      optional('outputSchema', fc.constant(SCHEMA), since(revision, '2025-06-18')),
    ),
  ),
  'prompts/list': listed(revision, 'prompts', fc.record({ name: words })),
  'resources/list': listed(revision, 'resources', fc.record({ uri: words, name: words })),
  'resources/templates/list': listed(revision, 'resourceTemplates', fc.record({ uriTemplate: words, name: words })),
  'tools/call': merged(
    fc.record({ content: fc.array(block(revision), { maxLength: 3 }) }),
    optional('isError', fc.boolean(), true),
    optional('structuredContent', fc.record({ n: fc.integer() }), since(revision, '2025-06-18')),
    optional('_meta', fc.record({ m: words }), true),
    unknown,
  ),
  'prompts/get': fc.record({
    messages: fc.array(fc.record({ role: fc.constantFrom('user', 'assistant'), content: block(revision) }), {
      maxLength: 2,
    }),
  }),
  'resources/read': merged(
    fc.record({ contents: fc.array(merged(fc.record({ uri: words, text: words }), unknown), { maxLength: 2 }) }),
    unknown,
  ),
  'completion/complete': fc.record({ completion: fc.record({ values: fc.array(words, { maxLength: 2 }) }) }),
})

const choice = fc.record({ const: words, title: words })
const field = (revision: Revision): fc.Arbitrary<Params> =>
  fc.oneof(
    fc.record({ type: fc.constant('string'), title: words }),
    fc.record({ type: fc.constant('boolean'), default: fc.boolean() }),
    fc.record({ type: fc.constant('string'), enum: fc.array(words, { minLength: 1, maxLength: 3 }) }),
    fc.record({ type: fc.constant('string'), oneOf: fc.array(choice, { minLength: 1, maxLength: 3 }) }),
    ...(since(revision, '2025-11-25') ? [fc.record({ type: fc.constant('number'), default: fc.integer() })] : []),
  )

/** What a revision's servers can send. */
const messages = (revision: Revision): Readonly<Record<string, fc.Arbitrary<Params>>> => ({
  'elicitation/create': fc.oneof(
    fc.record({
      mode: fc.constant('form'),
      message: words,
      requestedSchema: fc.record({ type: fc.constant('object'), properties: fc.dictionary(words, field(revision)) }),
    }),
    ...(since(revision, '2025-11-25') ? [fc.record({ mode: fc.constant('url'), message: words, url: words })] : []),
  ),
  'sampling/createMessage': fc.record({
    maxTokens: fc.integer(),
    messages: fc.array(
      merged(
        fc.record({
          role: fc.constantFrom('user', 'assistant'),
          content: fc.record({ type: fc.constant('text'), text: words }),
        }),
        unknown,
      ),
      { maxLength: 2 },
    ),
  }),
  'notifications/progress': merged(
    fc.record({ progressToken: words, progress: fc.integer() }),
    optional('message', words, since(revision, '2025-03-26')),
  ),
})

describe.each(revisions)('what $version can express', revision => {
  test.each(Object.entries(results(revision)))('a result of %s is read as it was meant', (method, result) => {
    fc.assert(
      fc.property(result, neutral => {
        const sent = JSON.parse(JSON.stringify(revision.encode(neutral, callOf(method), SERVER))) as Result
        expect(revision.readResult(method, sent)).toEqual(JSON.parse(JSON.stringify(neutral)))
      }),
      { numRuns: 50 },
    )
  })

  test.each(Object.entries(messages(revision)))('%s is read as it was meant', (method, params) => {
    fc.assert(
      fc.property(params, neutral => {
        expect(revision.readMessage(method, revision.writeMessage(method, neutral))).toEqual(neutral)
      }),
      { numRuns: 50 },
    )
  })

  test('a request and an answer leave nothing out that servers know', () => {
    const call = { name: 'x', arguments: { a: 1 }, _meta: { progressToken: 1 } }
    expect(revision.writeRequest('tools/call', call)).toBe(call)
    const answer = { role: 'assistant', content: { type: 'text', text: 'a' }, model: 'm' }
    expect(revision.writeAnswer('sampling/createMessage', answer)).toBe(answer)
    expect(revision.readAnswer('sampling/createMessage', answer)).toBe(answer)
  })
})

const at = (version: string): Revision => {
  const revision = find(version)
  if (!revision) throw new Error(`There is no ${version}`)
  return revision
}

test('older servers are sent what they understand', () => {
  const completion = { ref: { type: 'ref/prompt', name: 'p' }, argument: { name: 'a', value: '' }, context: {} }
  expect(at('2025-03-26').writeRequest('completion/complete', completion)).not.toHaveProperty('context')
  expect(at('2025-06-18').writeRequest('completion/complete', completion)).toBe(completion)
  const text = (words: string): Params => ({ type: 'text', text: words })
  const blocks = { role: 'assistant', model: 'm', content: [text('a'), text('b')] }
  expect(at('2025-11-25').writeAnswer('sampling/createMessage', blocks)).toBe(blocks)
  const spelled = { ...blocks, content: text('a\nb') }
  expect(at('2025-06-18').writeAnswer('sampling/createMessage', blocks)).toEqual(spelled)
  const mixed = { ...blocks, content: [text('a'), { type: 'image', data: '', mimeType: '' }] }
  expect(() => at('2025-06-18').writeAnswer('sampling/createMessage', mixed)).toThrow('several blocks')
})

test('a code that means one thing only is read as that kind', () => {
  expect(at('2025-11-25').kindOf(-32002)).toBe('resource-not-found')
  expect(at('2025-11-25').kindOf(-32603)).toBeUndefined()
  expect(at('2026-07-28').kindOf(-32002)).toBeUndefined()
})
