import { createServer, text, tool } from '@causeway/engine'
import type { JsonSchema, Server } from '@causeway/engine'
import { expect } from 'vitest'
import { P } from '../support/peer.ts'
import type { Peer } from '../support/peer.ts'
import { from, scenario } from '../support/scenario.ts'
import { BLOCKS, ICON, META, NOTES, rich, showcase } from '../support/showcase.ts'

/** The revisions that have a member, by member. */
const since = (version: string, peer: Peer, members: object): object => (peer.version >= version ? members : {})

scenario(
  '[S-TOOL-01] [S-TOOL-08] [S-TOOL-11] tools/list shows what the revision knows and nothing else',
  { server: showcase },
  async peer => {
    const { tools, ...rest } = await peer.result('tools/list')
    expect((tools as object[])[0]).toEqual({
      name: 'rich',
      description: 'Adds.',
      inputSchema: rich.input,
      ...since('2025-03-26', peer, {
        annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
      }),
      ...since('2025-06-18', peer, { title: 'Rich', outputSchema: rich.output, _meta: META }),
      ...since('2025-11-25', peer, { icons: [ICON] }),
    })
    expect(Object.keys(rest).sort()).toEqual(peer.stateless ? ['_meta', 'cacheScope', 'resultType', 'ttlMs'] : [])
  },
)

scenario('[S-TOOL-12] a tool without parameters still has an object schema', { server: showcase }, async peer => {
  const { tools } = await peer.result('tools/list')
  expect((tools as object[])[1]).toEqual({ name: 'gallery', inputSchema: { type: 'object', properties: {} } })
})

scenario('[S-TOOL-06] [S-RPC-12] a structured result comes with the same as text', { server: showcase }, async peer => {
  const result = await peer.call('rich', { a: 5, b: 3 })
  expect(result).toEqual({
    content: [text('{"sum":8}')],
    ...since('2025-06-18', peer, { structuredContent: { sum: 8 } }),
    ...since('2026-07-28', peer, {
      resultType: 'complete',
      _meta: { [`${P}serverInfo`]: expect.objectContaining({ name: 'showcase', version: '1.2.3', title: 'Showcase' }) },
    }),
  })
})

const [, image, audio, embedded, blob, link] = BLOCKS
const UNDATED = { audience: NOTES.audience, priority: NOTES.priority }
const LINK_AS_TEXT = text('Resource A link <x://link>: to somewhere')

/** What becomes of the gallery, by revision. */
const GALLERY: Readonly<Record<string, readonly unknown[]>> = {
  '2024-11-05': [
    { ...text('words'), annotations: UNDATED },
    { ...image, annotations: UNDATED },
    { type: 'resource', resource: { uri: 'audio:content', mimeType: 'audio/wav', blob: 'c25k' } },
    { type: 'resource', resource: { uri: 'x://text', mimeType: 'text/plain', text: 'inside' } },
    blob,
    LINK_AS_TEXT,
  ],
  '2025-03-26': [
    { ...text('words'), annotations: UNDATED },
    { ...image, annotations: UNDATED },
    { type: 'audio', data: 'c25k', mimeType: 'audio/wav' },
    { type: 'resource', resource: { uri: 'x://text', mimeType: 'text/plain', text: 'inside' } },
    blob,
    LINK_AS_TEXT,
  ],
  '2025-06-18': [BLOCKS[0], image, audio, embedded, blob, { ...link, icons: undefined }],
  '2025-11-25': BLOCKS,
  '2026-07-28': BLOCKS,
}

scenario('[S-TOOL-08] every content type arrives in a shape the revision has', { server: showcase }, async peer => {
  const { content, _meta } = await peer.call('gallery')
  expect(content).toEqual(GALLERY[peer.version])
  expect(_meta).toMatchObject(META)
})

scenario('[S-TOOL-08] prompts carry the same blocks', { server: showcase }, async peer => {
  const { messages } = await peer.result('prompts/get', { name: 'brief', arguments: { topic: 'tides' } })
  const blocks = (messages as { role: string; content: unknown }[]).slice(1)
  expect(blocks).toEqual(GALLERY[peer.version]?.map(content => ({ role: 'user', content })))
})

const shapes = (): Server =>
  createServer({ name: 'shapes', version: '1' }).add(
    tool({ name: 'words' }, () => 'hello'),
    tool({ name: 'nothing' }, () => undefined),
    tool({ name: 'number' }, () => 5),
    tool({ name: 'null' }, () => null),
    tool(
      { name: 'list', output: { type: 'array', items: { $ref: '#/$defs/n' }, $defs: { n: { type: 'number' } } } },
      () => [1, 2],
    ),
    tool({ name: 'either', output: { type: ['object', 'null'] } }, () => null),
    tool({ name: 'date' }, () => new Date(0)),
    tool({ name: 'block' }, () => ({ type: 'image', data: 'aa', mimeType: 'image/png' })),
    tool({ name: 'blocks' }, () => [text('a'), text('b')]),
    tool({ name: 'failing', output: { type: 'object', required: ['x'] } }, () => ({
      content: [text('no')],
      isError: true,
    })),
    tool({ name: 'spelled', output: { type: 'object', required: ['x'] } }, () => ({
      content: [text('mine')],
      structuredContent: { x: 1 },
    })),
    tool(
      { name: 'wrong', output: { type: 'object', properties: { x: { type: 'number' } } } },
      () => ({ x: 'y' }) as never,
    ),
  )

scenario(
  'a handler returns words, nothing, plain data, a block, blocks or a whole answer',
  { server: shapes },
  async peer => {
    const content = async (name: string): Promise<unknown> => (await peer.call(name)).content
    expect(await content('words')).toEqual([text('hello')])
    expect(await content('nothing')).toEqual([])
    expect(await content('number')).toEqual([text('5')])
    expect(await content('null')).toEqual([text('null')])
    expect(await content('list')).toEqual([text('[1,2]')])
    expect(await content('block')).toEqual([{ type: 'image', data: 'aa', mimeType: 'image/png' }])
    expect(await content('blocks')).toEqual([text('a'), text('b')])
    expect(await content('spelled')).toEqual([text('mine')])
  },
)

scenario(
  '[S-TOOL-07] what is no object is wrapped for the revisions that want one',
  { server: shapes, in: from('2025-06-18') },
  async peer => {
    const structured = async (name: string): Promise<unknown> => (await peer.call(name)).structuredContent
    const wrapped = (value: unknown): unknown => (peer.stateless ? value : { result: value })
    expect(await structured('number')).toEqual(wrapped(5))
    expect(await structured('null')).toEqual(wrapped(null))
    expect(await structured('list')).toEqual(wrapped([1, 2]))
    expect(await structured('date')).toEqual(wrapped('1970-01-01T00:00:00.000Z'))
    expect(await structured('words')).toBeUndefined()
    expect(await structured('spelled')).toEqual({ x: 1 })
  },
)

scenario(
  '[S-TOOL-07] the output schema is wrapped like its values, or hidden',
  { server: shapes, in: from('2025-06-18') },
  async peer => {
    const { tools } = await peer.result('tools/list')
    const schemas = Object.fromEntries(
      (tools as { name: string; outputSchema?: unknown }[]).map(t => [t.name, t.outputSchema]),
    )
    const $defs = { n: { type: 'number' } }
    const items = { $ref: '#/$defs/n' }
    expect(schemas.list).toEqual(
      peer.stateless
        ? { type: 'array', items, $defs }
        : { type: 'object', properties: { result: { type: 'array', items } }, required: ['result'], $defs },
    )
    expect(schemas.either).toEqual(peer.stateless ? { type: ['object', 'null'] } : undefined)
  },
)

scenario('[S-TOOL-06] an error result is not held against the output schema', { server: shapes }, async peer => {
  expect(await peer.call('failing')).toMatchObject({ content: [text('no')], isError: true })
})

scenario('[S-TOOL-06] a value the output schema forbids is our mistake: masked', { server: shapes }, async peer => {
  const result = await peer.call('wrong')
  expect(result).toMatchObject({ isError: true })
  expect(result).not.toHaveProperty('structuredContent')
  expect(await peer.words('wrong')).toMatch(/^Internal error \(reference [\da-f]{8}\)$/)
})

const CONDITIONAL = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: { even: { $anchor: 'even', type: 'number', multipleOf: 2 } },
  properties: { a: { $ref: '#/$defs/even' }, kind: { enum: ['x', 'y'] } },
  if: { properties: { kind: { const: 'x' } }, required: ['kind'] },
  else: { not: { required: ['a'] } },
  allOf: [{ anyOf: [{ required: ['kind'] }, { required: ['a'] }] }],
  additionalProperties: false,
  // As text, because an object with a member of that name could be mistaken for a promise.
  ...(JSON.parse('{"then":{"required":["a"]}}') as JsonSchema),
}

scenario(
  '[S-TOOL-09] any 2020-12 keyword is listed verbatim and enforced',
  {
    server: () =>
      createServer({ name: 's', version: '1' }).add(tool({ name: 'choosy', input: CONDITIONAL }, () => 'ok')),
  },
  async peer => {
    const { tools } = await peer.result('tools/list')
    expect((tools as { inputSchema: unknown }[])[0]?.inputSchema).toEqual(CONDITIONAL)
    expect(await peer.words('choosy', { kind: 'x', a: 4 })).toBe('ok')
    expect(await peer.words('choosy', { kind: 'y' })).toBe('ok')
    for (const args of [{ kind: 'x' }, { kind: 'x', a: 3 }, { kind: 'y', a: 4 }, {}, { kind: 'x', a: 2, b: 1 }]) {
      expect(await peer.call('choosy', args), JSON.stringify(args)).toMatchObject({ isError: true })
    }
  },
)

scenario('[S-TOOL-05] missing arguments are no arguments', { server: showcase }, async peer => {
  expect(await peer.result('tools/call', { name: 'gallery' })).toMatchObject({ content: expect.any(Array) })
  expect(await peer.words('rich')).toContain("Missing required parameter 'a' (a number).")
})

scenario('[S-TOOL-02] an unknown tool is a protocol error that names the nearest', { server: showcase }, async peer => {
  expect(await peer.error('tools/call', { name: 'gallerie' })).toEqual({
    code: -32602,
    message: "Unknown tool: gallerie. Did you mean 'gallery'?",
    data: { suggestions: ['gallery'], hint: "Did you mean 'gallery'?" },
  })
  expect(await peer.error('tools/call', { name: 'zzz' })).toEqual({ code: -32602, message: 'Unknown tool: zzz' })
})

scenario(
  '[S-TOOL-04] [S-TOOL-10] arguments that do not fit are a result the model reads; a malformed request is not',
  { server: showcase },
  async peer => {
    expect(await peer.call('rich', { a: 'x', c: 1 })).toMatchObject({ isError: true })
    expect(await peer.words('rich', { a: 'x', c: 1 })).toBe(
      [
        "Invalid arguments for tool 'rich':",
        "- Parameter 'a' must be a number, got 'x' (a string).",
        "- Missing required parameter 'b' (a number).",
        "- Unknown parameter 'c'. Supported parameters: a, b.",
      ].join('\n'),
    )
    expect(await peer.error('tools/call', { name: 'rich', arguments: [1] })).toMatchObject({ code: -32602 })
    expect(await peer.error('tools/call', { name: 5 })).toMatchObject({ code: -32602 })
    expect(await peer.error('tools/call')).toMatchObject({ code: -32602 })
  },
)

scenario(
  'an alias answers and is not listed',
  {
    server: () =>
      createServer({ name: 's', version: '1' }).add(
        tool({ name: 'read_file', aliases: ['filesystem/read'] }, () => 'ok'),
      ),
  },
  async peer => {
    expect(await peer.words('filesystem/read')).toBe('ok')
    expect((await peer.result('tools/list')).tools).toHaveLength(1)
  },
)
