import { createServer, tool } from '@causeway/engine'
import type { JsonSchema, Log, Params, Schema, Server } from '@causeway/engine'
import { expect } from 'vitest'
import { z } from 'zod'
import { ABLE } from '../support/curious.ts'
import type { Peer } from '../support/peer.ts'
import { ALL, from, scenario } from '../support/scenario.ts'

const FORMS = from('2025-06-18')
const object = (properties: JsonSchema): JsonSchema => ({ type: 'object', properties })

/** A server with one tool, which asks for that and tells what it was answered. */
const asksFor =
  (schema: Schema, log: Log = () => {}) =>
  (): Server =>
    createServer({ name: 's', version: '1', log }).add(
      tool({ name: 'ask' }, async (_, ctx) => {
        const answer = await ctx.elicit('it', { message: 'Well?', schema })
        return answer.action === 'accept' ? JSON.stringify(answer.content) : answer.action
      }),
    )

/** The fields a client was shown. */
async function shown(peer: Peer): Promise<unknown> {
  const asked: Params[] = []
  peer.answer = ({ params }) => {
    asked.push(params)
    return { action: 'cancel' }
  }
  expect(await peer.words('ask')).toBe('cancel')
  const [{ requestedSchema } = {}] = asked
  return (requestedSchema as Params).properties
}

const RICH = z.strictObject({
  mail: z.email().describe('Where to write'),
  site: z.url(),
  day: z.iso.date(),
  id: z.uuid(),
  code: z.string().regex(/^\d+$/).max(4),
  age: z.number().positive().max(9),
  sure: z.boolean().default(true),
  size: z.enum(['s', 'm']).default('s'),
  only: z.literal('x'),
  either: z.union([z.literal('a'), z.literal('b')]),
})

scenario(
  '[S-ELI-01] [S-ELI-04] a form shows what forms have words for; the rest is checked when it is answered',
  { server: asksFor(RICH), capabilities: ABLE, in: FORMS },
  async peer => {
    const hasDefaults = peer.version !== '2025-06-18'
    expect(await shown(peer)).toEqual({
      mail: { type: 'string', format: 'email', description: 'Where to write' },
      site: { type: 'string', format: 'uri' },
      day: { type: 'string', format: 'date' },
      id: { type: 'string' },
      code: { type: 'string', maxLength: 4 },
      age: { type: 'number', maximum: 9 },
      sure: { type: 'boolean', default: true },
      size: { type: 'string', enum: ['s', 'm'], ...(hasDefaults && { default: 's' }) },
      only: { type: 'string', enum: ['x'] },
      either: { type: 'string', enum: ['a', 'b'] },
    })
    const right = { mail: 'a@example.com', site: 'https://example.com', day: '2025-01-01', code: '12', age: 1 }
    const rest = { only: 'x', either: 'b' }
    peer.answer = () => ({ action: 'accept', content: { ...right, ...rest, id: 'no id', age: 0 } })
    await expect(peer.words('ask')).rejects.toThrow(/The answer to 'it' does not fit: .*'id'.*'age'/)
    const id = crypto.randomUUID()
    peer.answer = () => ({ action: 'accept', content: { ...right, ...rest, id } })
    expect(JSON.parse(await peer.words('ask'))).toEqual({ ...right, ...rest, id, sure: true, size: 's' })
  },
)

const TITLED = [{ const: 'a', title: 'An A' }, { const: 'b' }]
scenario(
  '[S-ELI-01] choices are told in the way of each revision, however they are written',
  {
    server: asksFor(
      object({
        oneOf: { type: 'string', oneOf: TITLED, default: 'a' },
        anyOf: { title: 'Pick', anyOf: TITLED },
        bare: { enum: ['a', 'b'] },
        legacy: { type: 'string', enum: ['a', 'b'], enumNames: ['An A', 'A B'] },
      }),
    ),
    capabilities: ABLE,
    in: FORMS,
  },
  async peer => {
    const isOld = peer.version === '2025-06-18'
    const named = { enum: ['a', 'b'], enumNames: ['An A', 'b'] }
    const titled = { oneOf: [TITLED[0], { const: 'b', title: 'b' }] }
    expect(await shown(peer)).toEqual({
      oneOf: { type: 'string', ...(isOld ? named : { ...titled, default: 'a' }) },
      anyOf: { type: 'string', title: 'Pick', ...(isOld ? named : titled) },
      bare: { type: 'string', enum: ['a', 'b'] },
      legacy: { type: 'string', enum: ['a', 'b'], enumNames: ['An A', 'A B'] },
    })
  },
)

const LISTS = object({
  name: { type: 'string' },
  plain: { type: 'array', items: { enum: ['a', 'b'] }, minItems: 1, maxItems: 2, uniqueItems: true, default: ['a'] },
  titled: { type: 'array', items: { type: 'string', oneOf: TITLED } },
})
const NO_LISTS = "This needs a client that supports lists in forms, for the field 'plain'"

scenario(
  '[S-ELI-01] a field takes several choices where the revision has lists, and is refused to the tool where it has not',
  { server: asksFor(LISTS), capabilities: ABLE, in: FORMS },
  async peer => {
    if (peer.version === '2025-06-18') {
      expect(await peer.call('ask')).toMatchObject({ content: [{ type: 'text', text: NO_LISTS }], isError: true })
      expect(peer.sent()).toEqual([])
      return
    }
    const titled = [TITLED[0], { const: 'b', title: 'b' }]
    expect(await shown(peer)).toEqual({
      name: { type: 'string' },
      plain: { type: 'array', items: { type: 'string', enum: ['a', 'b'] }, minItems: 1, maxItems: 2, default: ['a'] },
      titled: { type: 'array', items: { anyOf: titled } },
    })
    peer.answer = () => ({ action: 'accept', content: { name: 'x', titled: ['b'] } })
    expect(JSON.parse(await peer.words('ask'))).toEqual({ name: 'x', plain: ['a'], titled: ['b'] })
  },
)

const careful = (): Server =>
  createServer({ name: 's', version: '1' }).add(
    tool({ name: 'ask' }, async (_, ctx) => {
      const params = { mode: 'form', message: '?', requestedSchema: LISTS }
      const wanted = { a: { method: 'roots/list', params: {} }, b: { method: 'elicitation/create', params } }
      return ctx.ask(wanted).catch((e: Error) => (e.name === 'Suspended' ? Promise.reject(e) : `Without: ${e.message}`))
    }),
  )

scenario(
  '[S-ELI-01] a tool can do without what the revision has no words for, and nothing is asked in vain',
  { server: careful, capabilities: ABLE, in: ['2025-06-18'] },
  async peer => {
    expect(await peer.words('ask')).toBe(`Without: ${NO_LISTS}`)
    expect(peer.sent()).toEqual([])
  },
)

const NO_FIELDS: readonly JsonSchema[] = [
  { type: 'object', properties: { street: { type: 'string' } } },
  { type: ['string', 'null'] },
  { anyOf: [{ type: 'string' }, { type: 'null' }] },
  { type: 'integer', enum: [1, 2] },
  { type: 'array', items: { type: 'string' } },
  { type: 'array', items: { type: 'object' } },
  { type: 'null' },
  { description: 'anything' },
]
for (const field of NO_FIELDS) {
  const logged: unknown[] = []
  const schema = object({ good: { type: 'string' }, bad: field })
  scenario(
    `[S-ELI-01] no form asks for ${JSON.stringify(field)}: the author is told, and the client asked nothing`,
    {
      server: asksFor(schema, (level, _, fields) => level === 'error' && logged.push(fields?.error)),
      capabilities: ABLE,
      in: FORMS,
    },
    async peer => {
      expect(await peer.words('ask')).toMatch(/^Internal error \(reference \w+\)$/)
      const words = `A form cannot ask for 'bad': its fields are strings, numbers, booleans, choices of strings ("enum", or "oneOf" with "const" and "title") and lists of such choices`
      expect(logged.pop()).toEqual(new TypeError(words))
      expect(peer.sent()).toEqual([])
    },
  )
}

const BLOCKS = [
  { type: 'text', text: 'What is' },
  { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' },
] as const
const listener = (): Server =>
  createServer({ name: 's', version: '1' }).add(
    tool({ name: 'ask' }, async (_, ctx) => {
      const messages = [
        { role: 'user', content: BLOCKS[0], _meta: { a: 1 } },
        { role: 'user', content: BLOCKS, _meta: { a: 1 } },
      ] as const
      return (await ctx.sample('it', { messages, maxTokens: 1 })).model
    }),
  )

scenario(
  'messages for a model have one block each, and no sound, where the revision wants that',
  { server: listener, capabilities: ABLE, in: ALL },
  async peer => {
    const asked: Params[] = []
    peer.answer = ({ params }) => {
      asked.push(params)
      return { role: 'assistant', content: BLOCKS[0], model: 'm' }
    }
    if (peer.version === '2024-11-05') {
      const text = 'This needs a client that supports audio in the messages it samples from'
      expect(await peer.call('ask')).toMatchObject({ content: [{ type: 'text', text }], isError: true })
      return
    }
    expect(await peer.words('ask')).toBe('m')
    const split = [BLOCKS[0], ...BLOCKS].map(content => ({ role: 'user', content }))
    expect(asked[0]?.messages).toHaveLength(peer.version > '2025-06-18' ? 2 : 3)
    if (peer.version <= '2025-06-18') expect(asked[0]?.messages).toEqual(split)
  },
)
