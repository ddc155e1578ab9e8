import { createServer, prompt, resource, template, text, tool } from '@causeway/engine'
import { connect } from '@causeway/engine/testing'
import type { Feature, Pack, Policy, Server } from '@causeway/engine'
import { describe, expect, test } from 'vitest'

const server = (): Server => createServer({ name: 's', version: '1' })
const named = (name: string): Feature => tool({ name }, () => 'x')

describe('the name of a tool', () => {
  test.each(['a', 'A.b-c_9', 'x'.repeat(128), '__proto__', '-', '.'])('may be %s', async name => {
    expect(await server().add(named(name)).listed('tool')).toMatchObject([{ name }])
  })

  const LETTERS = '1 to 128 of A-Z a-z 0-9 _ . -.'
  test.each([
    ['read file', `Tool name 'read file' is not allowed: ${LETTERS} Try 'read_file'.`],
    ['filesystem/read', `Tool name 'filesystem/read' is not allowed: ${LETTERS} Try 'filesystem_read'.`],
    ['größe', `Tool name 'größe' is not allowed: ${LETTERS} Try 'gr_e'.`],
    ['', `Tool name '' is not allowed: ${LETTERS}`],
    ['x'.repeat(129), `Tool name '${'x'.repeat(129)}' is not allowed: ${LETTERS} Try '${'x'.repeat(128)}'.`],
  ])('may not be %s, and the refusal says what may be', (name, words) => {
    expect(() => server().add(named(name))).toThrow(words)
  })

  test('may be held to fewer letters', async () => {
    const strict = createServer({ name: 's', version: '1', names: 'strict' })
    expect(() => strict.add(named('a.b'))).toThrow(
      "Tool name 'a.b' is not allowed: 1 to 128 of A-Z a-z 0-9 _ -. Try 'a_b'.",
    )
    expect(await strict.add(named('a_b-C9')).listed('tool')).toHaveLength(1)
  })
})

test('a name is given once', async () => {
  const words = "Duplicate name 'a': remove the first one, or mount with a prefix"
  expect(() => server().add(named('a'), named('a'))).toThrow(words)
  expect(() =>
    server().add(
      prompt({ name: 'a' }, () => ''),
      prompt({ name: 'a' }, () => ''),
    ),
  ).toThrow(words)
  expect(() =>
    server().add(
      named('b'),
      tool({ name: 'c', aliases: ['b'] }, () => ''),
    ),
  ).toThrow("Duplicate name 'b'")
  const doubled = (): Feature => resource({ uri: 'x://a', name: 'any' }, () => '')
  expect(() => server().add(doubled(), doubled())).toThrow("Duplicate name 'x://a'")
  expect(
    await server()
      .add(
        named('a'),
        prompt({ name: 'a' }, () => ''),
      )
      .listed('prompt'),
  ).toHaveLength(1)
})

test('what is refused leaves no trace', async () => {
  const one = server().add(named('a'))
  expect(() => one.add(named('a b'))).toThrow(TypeError)
  expect(() => one.add(tool({ name: 'b', input: { type: 'object', required: 'x' } }, () => ''))).toThrow(TypeError)
  expect(await one.listed('tool')).toHaveLength(1)
})

test('a malformed schema is refused with its place', () => {
  const adding = (feature: Feature) => (): Server => server().add(feature)
  const input = { type: 'object', properties: { a: { type: 'strnig' } } } as const
  expect(adding(tool({ name: 't', input }, () => ''))).toThrow(
    "Tool 't', input schema: Malformed JSON Schema: #/properties/a/type must be one of object, string, number, integer, boolean, array, null, or an array of them",
  )
  expect(adding(tool({ name: 't', output: { minimum: 'x', required: 5 } }, () => ({})))).toThrow(
    "Tool 't', output schema: Malformed JSON Schema: #/minimum must be a number; #/required must be an array of property names",
  )
  const remote = { type: 'object', properties: { a: { $ref: 'https://example.com/a.json' } } } as const
  expect(adding(tool({ name: 't', input: remote }, () => ''))).toThrow(
    `Tool 't', input schema: Malformed JSON Schema: #/properties/a/$ref 'https://example.com/a.json' is in another document, and other documents are never fetched: copy what it names under "$defs" and refer to that as "#/$defs/…"`,
  )
  expect(adding(tool({ name: 't', input: { type: 'string' } }, () => ''))).toThrow(
    `Tool 't': the input schema must have "type": "object" at its root, since arguments are named`,
  )
  const slip = { type: 'object', properties: { a: { type: 'string' } }, required: ['a', 'b'] } as const
  expect(adding(tool({ name: 't', input: slip }, () => ''))).toThrow(
    "Tool 't', input schema: 'b' is required, but is not among its properties",
  )
  expect(adding(tool({ name: 't', input: { ...slip, patternProperties: { b: {} } } }, () => ''))).not.toThrow()
})

test('malformed resources, templates and prompts are refused with what to mend', () => {
  expect(() => server().add(resource({ uri: 'no uri', name: 'r' }, () => ''))).toThrow(
    "Resource 'r': 'no uri' is not a URI",
  )
  expect(() => server().add(template({ uriTemplate: 'x://{a', name: 't' }, () => ''))).toThrow(
    "URI template 'x://{a': braces do not match",
  )
  expect(() => server().add(template({ uriTemplate: 'x://{a}', name: 't', complete: { b: [] } }, () => ''))).toThrow(
    "Template 't': 'b' is not a variable of x://{a}",
  )
  expect(() => server().add(prompt({ name: '' }, () => ''))).toThrow('A prompt needs a name')
})

const pack: Pack = {
  name: 'p',
  instructions: 'Mind the pack.',
  features: [
    named('tool'),
    prompt({ name: 'prompt' }, () => text('x')),
    resource({ uri: 'x://r', name: 'r' }, () => 'x'),
  ],
}

test('a pack is mounted under a prefix, with its instructions', async () => {
  const mounted = createServer({ name: 's', version: '1', instructions: 'Mind the server.' }).add(pack)
  mounted.mount({ ...pack, features: pack.features.slice(0, 2) }, { prefix: 'two_' })
  expect((await mounted.listed('tool')).map(({ name }) => name)).toEqual(['tool', 'two_tool'])
  expect((await mounted.listed('prompt')).map(({ name }) => name)).toEqual(['prompt', 'two_prompt'])
  expect(await connect(mounted).request('server/discover')).toMatchObject({
    instructions: 'Mind the server.\n\nMind the pack.\n\nMind the pack.',
  })
})

test('policies stand around the server, the pack and the tool, outermost first', async () => {
  const order: string[] = []
  const mark =
    (name: string): Policy =>
    (call, next) => {
      if (call.method === 'tools/call') order.push(name)
      return next(call)
    }
  const own: Pack = {
    name: 'p',
    features: [tool({ name: 'a', use: [mark('tool 1'), mark('tool 2')] }, () => 'x'), named('b')],
  }
  const used = server().use(mark('server 1'), mark('server 2'))
  used.mount(own, { use: [mark('pack')] })
  used.add(named('c'))
  const client = connect(used)
  for (const name of ['a', 'b', 'c']) await client.call(name)
  expect(order.join()).toBe('server 1,server 2,pack,tool 1,tool 2,server 1,server 2,pack,server 1,server 2')
  used.use(mark('late'))
  order.length = 0
  await client.call('c')
  expect(order).toEqual(['server 1', 'server 2', 'late'])
})
