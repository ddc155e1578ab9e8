import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { createServer, prompt, tool } from '@causeway/engine'
import { connect } from '@causeway/engine/testing'
import type { Context, In, Out, AnyToolOutput, Tool } from '@causeway/engine'
import * as v from 'valibot'
import { describe, expect, expectTypeOf, test } from 'vitest'
import * as z from 'zod'

const LITERAL = {
  type: 'object',
  properties: {
    city: { type: 'string', minLength: 2 },
    nights: { type: 'integer', default: 1 },
    tags: { type: 'array', items: { enum: ['sea', 'hills'] } },
  },
  required: ['city'],
  additionalProperties: false,
} as const

const zodSchema = z.strictObject({
  city: z.string().min(2),
  nights: z.int().default(1),
  tags: z.array(z.enum(['sea', 'hills'])).optional(),
})
const valibotSchema = toStandardJsonSchema(
  v.strictObject({
    city: v.pipe(v.string(), v.minLength(2)),
    nights: v.optional(v.number(), 1),
    tags: v.optional(v.array(v.picklist(['sea', 'hills']))),
  }),
)

const SCHEMAS = [
  ['a JSON Schema literal', LITERAL],
  ['zod', zodSchema],
  ['valibot', valibotSchema],
] as const

describe.each(SCHEMAS)('a tool defined with %s', (_, input) => {
  const book = tool({ name: 'book', input, output: { type: 'object', required: ['got'] } }, args => ({ got: args }))
  const client = connect(createServer({ name: 's', version: '1' }).add(book))

  test('shows its schema', async () => {
    const { tools } = await client.request('tools/list')
    expect(tools).toMatchObject([
      {
        inputSchema: {
          type: 'object',
          required: expect.arrayContaining(['city']),
          properties: { city: { type: 'string', minLength: 2 } },
          additionalProperties: false,
        },
      },
    ])
  })

  test('gets its arguments, defaults filled in', async () => {
    expect(await client.call('book', { city: 'Porto', tags: ['sea'] })).toEqual({
      got: { city: 'Porto', nights: 1, tags: ['sea'] },
    })
  })

  test('complains in the same words, all at once', async () => {
    await expect(client.call('book', { city: 5, tags: ['hill'], extra: 1 })).rejects.toThrow(
      [
        "Invalid arguments for tool 'book':",
        "- Parameter 'city' must be a string, got 5 (a number).",
        "- Parameter 'tags[0]' must be one of the supported values, got 'hill'. Did you mean 'hills'? Supported values: sea, hills.",
        "- Unknown parameter 'extra'. Supported parameters: city, nights, tags.",
      ].join('\n'),
    )
    await expect(client.call('book')).rejects.toThrow("Missing required parameter 'city' (a string).")
  })
})

describe('with a library', () => {
  const even = z.object({
    n: z
      .string()
      .transform(Number)
      .refine(n => n % 2 === 0, 'must be even'),
  })
  const slow = z.object({ n: z.number().refine(async n => n > 0, 'must be positive') })
  const client = connect(
    createServer({ name: 's', version: '1' }).add(
      tool({ name: 'even', input: even, output: z.object({ n: z.number() }) }, ({ n }) => ({ n })),
      tool({ name: 'slow', input: slow }, ({ n }) => `${n}`),
      tool({ name: 'dated', output: z.object({ at: z.string() }) }, () => ({ at: 'now' })),
    ),
  )

  test('a handler gets what the schema makes of the arguments', async () => {
    expect(await client.call('even', { n: '4' })).toEqual({ n: 4 })
  })

  test('a rule that JSON Schema cannot express is told in the library’s words', async () => {
    await expect(client.call('even', { n: '3' })).rejects.toThrow(
      "Invalid arguments for tool 'even': Parameter 'n': must be even.",
    )
  })

  test('checks may take their time', async () => {
    expect(await client.call('slow', { n: 2 })).toBe('2')
    await expect(client.call('slow', { n: -2 })).rejects.toThrow("Parameter 'n': must be positive.")
  })

  test('an output schema is shown and filled in', async () => {
    expect(await client.call('dated')).toEqual({ at: 'now' })
  })

  test('a schema that cannot describe itself is refused with what to do', () => {
    const mute = { '~standard': { version: 1 as const, vendor: 'mute', validate: (value: unknown) => ({ value }) } }
    expect(() => createServer({ name: 's', version: '1' }).add(tool({ name: 't', input: mute }, () => 'x'))).toThrow(
      /^Tool 't', input schema: This mute schema cannot describe itself as JSON Schema\. Use a version with Standard JSON Schema support \(zod ≥ 4\.2, /,
    )
  })
})

describe('types', () => {
  interface Booking {
    city: string
    nights?: number
    tags?: ('sea' | 'hills')[]
  }

  test('a literal’s arguments are inferred', () => {
    expectTypeOf<Out<typeof LITERAL>>().toExtend<Booking>()
    expectTypeOf<Booking>().toExtend<In<typeof LITERAL>>()
    tool({ name: 't', input: LITERAL }, (args, ctx) => {
      expectTypeOf(args.city).toEqualTypeOf<string>()
      expectTypeOf(args.nights).toEqualTypeOf<number>()
      expectTypeOf(args.tags?.[0]).toEqualTypeOf<'sea' | 'hills' | undefined>()
      expectTypeOf(ctx).toEqualTypeOf<Context>()
      // @ts-expect-error there is no such argument
      return args.nowhere
    })
  })

  test('a library’s arguments are what it makes of them', () => {
    tool({ name: 't', input: zodSchema }, args => {
      expectTypeOf(args).toEqualTypeOf<{ city: string; nights: number; tags?: ('sea' | 'hills')[] | undefined }>()
      return ''
    })
    tool({ name: 't', input: valibotSchema }, args => {
      expectTypeOf(args.nights).toEqualTypeOf<number>()
      return ''
    })
    expectTypeOf<In<typeof zodSchema>['nights']>().toEqualTypeOf<number | undefined>()
  })

  test('an output schema holds the handler to it', () => {
    const output = { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] } as const
    expectTypeOf(tool({ name: 't', output }, () => ({ sum: 1 }))).toEqualTypeOf<Tool>()
    expectTypeOf(tool({ name: 't', input: LITERAL, output }, async () => ({ sum: 1 }))).toEqualTypeOf<Tool>()
    tool({ name: 't', output }, () => ({ content: [], isError: true }))
    // @ts-expect-error a sum is a number
    tool({ name: 't', output }, () => ({ sum: 'x' }))
    // @ts-expect-error a sum is missing
    tool({ name: 't', input: LITERAL, output }, () => ({}))
  })

  test('what a handler returns keeps its literal types', () => {
    const input = z.object({ q: z.string() })
    const output = z.object({ state: z.enum(['open', 'done']), list: z.array(z.string()) })
    expectTypeOf(tool({ name: 't', input, output }, ({ q }) => ({ state: 'open', list: [q] }))).toEqualTypeOf<Tool>()
    tool({ name: 't', input, output }, async ({ q }) => {
      if (q === '') return { content: [{ type: 'text', text: 'none' }], isError: true }
      return { content: [{ type: 'text', text: q }], structuredContent: { state: 'done', list: [] } }
    })
    prompt({ name: 'p', arguments: [{ name: 'who' }] }, ({ who = 'you' }) => ({
      messages: [{ role: 'user', content: { type: 'text', text: `Hello ${who}` } }],
    }))
    // @ts-expect-error there is no such state
    tool({ name: 't', input, output }, ({ q }) => ({ state: 'lost', list: [q] }))
    // @ts-expect-error there are no such blocks
    tool({ name: 't', input, output }, ({ q }) => ({ content: [{ type: 'words', text: q }] }))
  })

  test('a tool without schemas takes nothing and returns anything', () => {
    tool({ name: 't' }, args => {
      expectTypeOf(args).toEqualTypeOf<Record<string, never>>()
      return null
    })
    expectTypeOf<string | number | boolean | null | object>().toExtend<AnyToolOutput>()
  })

  test('a prompt’s blanks are inferred, those that must be filled in as strings', () => {
    prompt({ name: 'p', arguments: [{ name: 'topic', required: true }, { name: 'tone' }] }, args => {
      expectTypeOf(args.topic).toEqualTypeOf<string>()
      expectTypeOf(args.tone).toEqualTypeOf<string | undefined>()
      // @ts-expect-error there is no such blank
      return String(args.nowhere)
    })
    prompt({ name: 'p' }, args => {
      expectTypeOf(args.any).toEqualTypeOf<string | undefined>()
      return ''
    })
  })

  test('what a form asks is what comes back', () => {
    const asks = tool({ name: 't' }, async (_, ctx) => {
      const answer = await ctx.elicit('trip', { message: '?', schema: LITERAL })
      if (answer.action === 'accept') expectTypeOf(answer.content.city).toEqualTypeOf<string>()
      const page = await ctx.elicit('login', { message: '?', url: 'https://example.com' })
      if (page.action === 'accept') expectTypeOf(page.content).toEqualTypeOf<undefined>()
      return ''
    })
    expectTypeOf(asks).toEqualTypeOf<Tool>()
  })
})
