import { expect, test } from 'vitest'
import { openApiSource } from '../../src/entries/openapi.ts'
import { METHODS } from '../../src/openapi/operations.ts'
import { clientOf } from './api.ts'
import { PETSTORE, SWAGGER } from './petstore.ts'

const listed = async (document: string | object, options = {}): Promise<Record<string, Record<string, unknown>>> => {
  const { client } = clientOf({ base: 'https://pets.example/v1', ...options }, document)
  const { tools } = await client.request('tools/list')
  return Object.fromEntries((tools as { name: string }[]).map(tool => [tool.name, tool]))
}

test('each operation is a tool, with parameters and body as one schema', async () => {
  const tools = await listed(PETSTORE)
  expect(Object.keys(tools)).toEqual([
    'listPets',
    'createPet',
    'pets_show',
    'updatePet',
    'delete_pets_by_petId',
    'photo',
    'upload',
    'order',
  ])
  expect(tools.listPets?.inputSchema).toEqual({
    type: 'object',
    properties: {
      limit: { type: 'integer', minimum: 1, maximum: 100, description: 'How many. The rest comes later.' },
      page: { type: 'integer' },
      tags: { type: 'array', items: { type: 'string' } },
      'X-Trace': { type: 'string' },
    },
    additionalProperties: false,
  })
  // What the server sets is not asked for, `nullable` is what 3.1 makes of it, and a schema that contains itself ends.
  expect(tools.createPet?.inputSchema).toEqual({
    type: 'object',
    properties: {
      name: { type: 'string', maxLength: 40 },
      tag: { type: ['string', 'null'] },
      friends: { type: 'array', items: { type: 'object' } },
    },
    required: ['name'],
    additionalProperties: false,
  })
  // Two arguments of one name are told apart.
  const updating = tools.updatePet?.inputSchema as { properties: object } | undefined
  expect(Object.keys(updating?.properties ?? {})).toEqual(['petId', 'name', 'body_name', 'tag', 'friends'])
  expect(tools.pets_show?.description).toBe('Shows one pet. (GET /pets/{petId})')
})

test('annotations follow the method', async () => {
  const tools = await listed(PETSTORE)
  expect(tools.listPets?.annotations).toEqual({ readOnlyHint: true, idempotentHint: true, openWorldHint: true })
  expect(tools.delete_pets_by_petId?.annotations).toMatchObject({ readOnlyHint: false, destructiveHint: true })
  expect(tools.createPet?.annotations).toMatchObject({ destructiveHint: false, idempotentHint: false })
})

test('without a choice of methods only what reads is served', () => {
  expect(openApiSource(PETSTORE).toolNames).toEqual(['listPets', 'pets_show', 'photo'])
})

test('what cannot be offered is left out, and told why', () => {
  expect(openApiSource(PETSTORE).skipped).toEqual([
    {
      operation: 'GET /broken',
      why: 'The reference "other.yaml#/x" leads to another document, and none is fetched: bundle them into one file',
    },
    {
      operation: 'HEAD /broken',
      why: 'The reference "#/components/parameters/nothing" points to nothing in this document',
    },
    { operation: 'GET /elsewhere', why: 'It is served by another host, evil.example' },
  ])
})

test('filters choose by tag, method and path, and refuse what fits nothing', () => {
  const names = (options: object): readonly string[] => openApiSource(PETSTORE, options).toolNames
  expect(names({ tags: ['pets'] })).toEqual(['listPets', 'pets_show'])
  expect(names({ methods: ['delete', 'post'], paths: ['/pets/*'] })).toEqual(['delete_pets_by_petId', 'upload'])
  expect(names({ accepts: ({ name }: { name: string }) => name === 'photo' })).toEqual(['photo'])
  expect(() => names({ tags: ['pet'] })).toThrow("No operation has the tag 'pet'. Did you mean 'pets'?")
  expect(() => names({ paths: ['/dogs/*'] })).toThrow("No path of the document fits '/dogs/*'.")
})

test('Swagger 2.0 and 3.1 are served as 3.0 is', async () => {
  const old = await listed(SWAGGER)
  expect(Object.keys(old)).toEqual(['listPets', 'createPet'])
  expect(old.listPets?.inputSchema).toMatchObject({
    properties: { ids: { type: 'array', items: { type: 'integer' } }, sort: { enum: ['name', 'age'] } },
  })
  expect(old.createPet?.inputSchema).toMatchObject({ properties: { name: { type: 'string' } }, required: ['name'] })
  const schema = { type: ['integer', 'null'], exclusiveMinimum: 0 }
  const operation = { parameters: [{ name: 'age', in: 'query', schema }], responses: {} }
  const now = await listed({
    openapi: '3.1.0',
    info: {},
    servers: [{ url: 'https://pets.example' }],
    paths: { '/a': { get: operation } },
  })
  expect(now.get_a?.inputSchema).toMatchObject({ properties: { age: schema } })
})

test('names have at most 64 letters, and each is there once, whatever the filters are', () => {
  const long = 'x'.repeat(100)
  const get = (operationId: string): object => ({ get: { operationId, responses: {} } })
  const document = {
    openapi: '3.1.0',
    servers: [{ url: 'https://a.example' }],
    paths: { '/a': get(long), '/b': get(`${long}y`), '/c': get('same'), '/d': get('Same'), '/e': get('ü') },
  }
  const { toolNames } = openApiSource(document)
  expect(new Set(toolNames.map(name => name.toLowerCase())).size).toBe(5)
  expect(toolNames.every(name => /^[A-Za-z0-9_-]{1,64}$/.test(name))).toBe(true)
  expect(openApiSource(document, { paths: ['/b'] }).toolNames).toEqual([toolNames[1]])
  expect(toolNames[4]).toBe('get_e')
})

test.each([
  ['no document', '5', 'This is not an OpenAPI document'],
  ['no JSON', 'openapi: 3.1.0', 'This is not JSON: '],
  ['broken JSON', '{"openapi":', 'This is not JSON: '],
  [
    'another version',
    { swagger: '1.2', paths: {} },
    'OpenAPI version "1.2" is not supported. Use 2.0 (Swagger), 3.0 or 3.1.',
  ],
  ['no version', { paths: {} }, "neither 'openapi' (3.0, 3.1) nor 'swagger' (2.0)"],
  ['no paths', { openapi: '3.1.0' }, "'paths' is missing or empty"],
  [
    'a key of the language',
    '{"openapi":"3.1.0","paths":{"/a":{}},"__proto__":{"x":1}}',
    "A key of the document is '__proto__'",
  ],
])('a document that cannot be used is refused in words: %s', (_, document, words) => {
  expect(() => openApiSource(document, { base: 'https://a.example' })).toThrow(words)
})

test('documents that grow or contain themselves are refused', () => {
  const cyclic: Record<string, unknown> = { openapi: '3.1.0' }
  cyclic.paths = { '/a': cyclic }
  expect(() => openApiSource(cyclic)).toThrow(/nested more than 100 levels|values/)
  let shared: object = {}
  for (let i = 0; i < 30; i++) shared = { a: shared, b: shared, c: shared }
  expect(() => openApiSource({ openapi: '3.1.0', paths: { '/a': {} }, shared })).toThrow(/more than 3000000 values/)
  let deep: object = {}
  for (let i = 0; i < 5000; i++) deep = { deep }
  expect(() => openApiSource({ openapi: '3.1.0', paths: { '/a': {} }, deep })).toThrow(
    /nested (?:too deeply|more than 100 levels)/,
  )
})

test('a large schema is shown as deep as there is room for', () => {
  const properties = (depth: number): object =>
    Object.fromEntries(
      Array.from({ length: 12 }, (_, i) => [
        `p${i}`,
        depth === 0 ? { type: 'string' } : { type: 'object', properties: properties(depth - 1) },
      ]),
    )
  const content = { 'application/json': { schema: { type: 'object', properties: properties(3) } } }
  const post = { operationId: 'large', requestBody: { content }, responses: {} }
  const document = { openapi: '3.1.0', servers: [{ url: 'https://a.example' }], paths: { '/a': { post } } }
  const source = openApiSource(document, { methods: METHODS })
  const list = source.tools?.list({} as never) ?? []
  const [entry] = list as unknown as readonly { info: object }[]
  expect(JSON.stringify(entry?.info).length).toBeLessThan(8000)
  expect(entry?.info).toMatchObject({ inputSchema: { properties: { p11: { type: 'object' } } } })
})

test('what is hidden in descriptions is shown', async () => {
  const get = { operationId: 'a', summary: 'Safe\u200B\u{E0041} words', responses: {} }
  const tools = await listed({ openapi: '3.1.0', servers: [{ url: 'https://a.example' }], paths: { '/a': { get } } })
  expect(tools.a?.description).not.toMatch(/[\u200B\u{E0041}]/u)
})
