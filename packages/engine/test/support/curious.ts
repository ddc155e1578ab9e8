import { createServer, prompt, resource, tool } from '@causeway/engine'
import type { Feature, Params, Server, ServerOptions } from '@causeway/engine'

/** A form with every kind of field that all revisions with forms have. */
export const FORM = {
  type: 'object',
  properties: {
    city: { type: 'string', minLength: 2, title: 'City' },
    nights: { type: 'integer', minimum: 1, maximum: 9, default: 2 },
    insured: { type: 'boolean', default: true },
    room: {
      type: 'string',
      oneOf: [
        { const: 's', title: 'Single' },
        { const: 'd', title: 'Double' },
      ],
    },
  },
  required: ['city'],
} as const

/** What a client declares that can be asked for everything. */
export const ABLE: Params = { elicitation: { form: {}, url: {} }, sampling: { tools: {}, context: {} }, roots: {} }

const MESSAGE = { role: 'user', content: { type: 'text', text: 'Say it.' } } as const
const TOOLS = [{ name: 'look', inputSchema: { type: 'object' } }]

const plain = (): Feature[] => [
  tool({ name: 'form' }, async (_, ctx) => {
    const answer = await ctx.elicit('trip', { message: 'Where to?', schema: FORM })
    return answer.action === 'accept' ? JSON.stringify(answer.content) : answer.action
  }),
  tool({ name: 'page' }, async (_, ctx) => {
    const { action } = await ctx.elicit('login', { message: 'Sign in.', url: 'https://example.com/login' })
    return action
  }),
  tool({ name: 'sample' }, async (_, ctx) => {
    const { content, model } = await ctx.sample('thought', {
      messages: [MESSAGE],
      maxTokens: 10,
      systemPrompt: 'Be brief.',
    })
    return `${model}: ${JSON.stringify(content)}`
  }),
  tool({ name: 'sample_tools' }, async (_, ctx) => {
    const { stopReason } = await ctx.sample('thought', { messages: [MESSAGE], maxTokens: 10, tools: TOOLS })
    return String(stopReason)
  }),
  tool({ name: 'roots' }, async (_, ctx) => (await ctx.roots()).map(({ uri }) => uri).join()),
  tool({ name: 'supports' }, (_, ctx) =>
    (['elicitation', 'elicitation.url', 'sampling', 'sampling.tools', 'roots'] as const)
      .filter(what => ctx.supports(what))
      .join(),
  ),
]

const intricate = (): Feature[] => [
  tool(
    { name: 'rounds', input: { type: 'object', properties: { times: { type: 'integer' } } } },
    async ({ times = 3 }, ctx) => {
      const said: string[] = []
      for (let i = 0; i < times; i++) {
        const { content } = await ctx.sample(`q${i}`, {
          messages: [{ role: 'user', content: { type: 'text', text: said.join('+') } }],
          maxTokens: 1,
        })
        said.push('text' in content ? content.text : '?')
      }
      return said.join('+')
    },
  ),
  tool({ name: 'both' }, async (_, ctx) => {
    const { a, b } = await ctx.ask({
      a: { method: 'roots/list', params: {} },
      b: {
        method: 'elicitation/create',
        params: { mode: 'form', message: 'Name?', requestedSchema: { type: 'object', properties: {} } },
      },
    })
    return `${JSON.stringify(a?.roots)} ${String(b?.action)}`
  }),
  tool({ name: 'swallows' }, async (_, ctx) => {
    try {
      return `${(await ctx.roots()).length} roots`
    } catch {
      return 'no answer, so I guess'
    }
  }),
  prompt({ name: 'asks' }, async (_, ctx) => `${(await ctx.roots()).length} roots`),
  resource({ uri: 'x://asks', name: 'asks' }, async ctx => `${(await ctx.roots()).length} roots`),
]

/** A server whose features ask. */
export function curious(options: Partial<ServerOptions> = {}): Server {
  return createServer({ name: 'curious', version: '1', ...options }).add(...plain(), ...intricate())
}
