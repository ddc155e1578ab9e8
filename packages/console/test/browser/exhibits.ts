import { createServer, prompt, resource, template, tool } from '@causeway/engine'
import type { Feature, Server } from '@causeway/engine'

// A dot, and a tenth of a second of silence.
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const WAV = `UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=`

/** What a page must never run, in every place where text of a tool is shown. */
export const HOSTILE: string =
  '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script><svg onload="window.hacked=1">' +
  '\n\n# <b onclick="window.hacked=1">x</b>\n\n[click](javascript:window.hacked=1) **[a](data:text/html,<script>window.hacked=1</script>)**'

const SVG = `<svg xmlns="http://www.w3.org/2000/svg" onload="parent.hacked=1"><script>parent.hacked=1</script></svg>`

const EVERYTHING = {
  type: 'object',
  properties: {
    name: { type: 'string', description: 'Who it is for', minLength: 2 },
    size: { type: 'integer', minimum: 1, default: 3 },
    ratio: { type: 'number' },
    loud: { type: 'boolean', description: 'Say it loudly' },
    colour: { enum: ['red', 'green', 'blue'] },
    day: { type: 'string', format: 'date' },
    tags: { type: 'array', items: { type: 'string' } },
    sides: { type: 'array', items: { enum: ['left', 'right'] } },
    place: {
      type: 'object',
      properties: { city: { type: 'string' }, point: { $ref: '#/$defs/point' } },
      required: ['city'],
    },
    shape: {
      oneOf: [
        {
          title: 'Circle',
          type: 'object',
          properties: { kind: { const: 'circle' }, radius: { type: 'number' } },
          required: ['kind', 'radius'],
        },
        {
          title: 'Square',
          type: 'object',
          properties: { kind: { const: 'square' }, side: { type: 'number' } },
          required: ['kind', 'side'],
        },
      ],
    },
    labels: { type: 'object', additionalProperties: { type: 'string' } },
    note: { anyOf: [{ type: 'string' }, { type: 'null' }] },
    extra: {},
  },
  required: ['name', 'place'],
  $defs: { point: { type: 'object', properties: { x: { type: 'number' }, y: { type: 'number' } } } },
} as const

const json = (value: unknown): string => JSON.stringify(value)

const results = (): Feature[] => [
  tool(
    { name: 'markdown', readOnly: true },
    () =>
      '# Title\n\nSome **bold** text, `code` and a [link](https://example.com/).\n\n- one\n- two\n\n| a | b |\n|---|---|\n| 1 | 2 |',
  ),
  tool({ name: 'picture', readOnly: true }, () => ({ content: [{ type: 'image', data: PNG, mimeType: 'image/png' }] })),
  tool({ name: 'sound', readOnly: true }, () => ({ content: [{ type: 'audio', data: WAV, mimeType: 'audio/wav' }] })),
  tool({ name: 'linked', readOnly: true }, () => ({
    content: [{ type: 'resource_link', uri: 'note://today', name: 'today' }],
  })),
  tool({ name: 'rows', readOnly: true }, () =>
    json([
      { city: 'Oslo', people: 709 },
      { city: 'Bergen', people: 291 },
    ]),
  ),
  tool({ name: 'timeline', readOnly: true }, () =>
    json({ buckets: ['2004', '2005', '2006'].map((start, i) => ({ start, count: i + 1 })) }),
  ),
  tool({ name: 'hotspots', readOnly: true }, () =>
    json({ hotspots: [1, 2, 3].map(i => ({ file: `src/${i}.ts`, churn_score: i / 10, complexity: i * 3, score: i })) }),
  ),
  tool({ name: 'hostile', readOnly: true, description: HOSTILE }, () => ({
    content: [
      { type: 'text', text: HOSTILE },
      { type: 'image', data: Buffer.from(SVG).toString('base64'), mimeType: 'image/svg+xml' },
      { type: 'resource', resource: { uri: 'javascript:window.hacked=1', mimeType: 'text/html', text: HOSTILE } },
      { type: 'resource_link', uri: 'javascript:window.hacked=1', name: HOSTILE },
    ],
    structuredContent: { [HOSTILE]: HOSTILE },
  })),
  tool({ name: 'fails' }, () => {
    throw new Error('It broke')
  }),
]

const asking = (): Feature[] => [
  tool({ name: 'ask_form' }, async (_, ctx) => {
    const schema = {
      type: 'object',
      properties: { colour: { type: 'string', enum: ['red', 'green'] } },
      required: ['colour'],
    } as const
    const answer = await ctx.elicit('colour', { message: 'Which colour?', schema })
    return answer.action === 'accept' ? `You chose ${answer.content.colour}` : `You chose to ${answer.action}`
  }),
  tool({ name: 'ask_page' }, async (_, ctx) => {
    const { action } = await ctx.elicit('page', { message: 'Please sign in', url: 'https://login.example.com/start' })
    return `The page: ${action}`
  }),
  tool({ name: 'ask_model' }, async (_, ctx) => {
    const messages = [{ role: 'user' as const, content: { type: 'text', text: 'What is the capital of Norway?' } }]
    const said = await ctx.sample('capital', { messages, maxTokens: 100, systemPrompt: 'Be brief.' })
    return `The model said ${json(said.content)}`
  }),
  tool({ name: 'ask_roots' }, async (_, ctx) => `Folders: ${(await ctx.roots()).map(root => root.uri).join(', ')}`),
]

/** A server that has one of everything the console can show. */
export function exhibits(): Server {
  const server = createServer({ name: 'exhibits', title: 'Exhibits', version: '1.0.0', log: false })
  let edition = 1
  return server.add(
    tool(
      {
        name: 'add_numbers',
        title: 'Add numbers',
        description: 'Adds two numbers',
        readOnly: true,
        input: {
          type: 'object',
          properties: { number1: { type: 'number' }, number2: { type: 'number' } },
          required: ['number1', 'number2'],
        } as const,
      },
      ({ number1, number2 }) => json({ result: number1 + number2 }),
    ),
    tool({ name: 'everything', description: 'Takes everything', input: EVERYTHING as never }, input => json(input)),
    tool({ name: 'slow', description: 'Waits until it is cancelled' }, async (_, ctx) => {
      ctx.progress(1, 'Half way', 2)
      await new Promise((_resolve, reject) => ctx.signal.addEventListener('abort', () => reject(ctx.signal.reason)))
      return 'never'
    }),
    tool({ name: 'edit_note', description: 'Changes the note', destructive: false }, () => {
      edition += 1
      server.updated('note://today')
      return 'done'
    }),
    ...results(),
    ...asking(),
    resource({ uri: 'note://today', name: 'today', mimeType: 'text/plain' }, () => `Edition ${edition}`),
    template(
      { uriTemplate: 'plan://{year}/{name}', name: 'plan', complete: { year: ['2025', '2026'] } },
      ({ year, name }) => `${name} in ${year}`,
    ),
    prompt(
      {
        name: 'brief',
        description: 'Briefs',
        arguments: [{ name: 'topic', required: true, complete: ['tides', 'tiles'] }],
      },
      ({ topic }) => `Tell me about ${topic}`,
    ),
  )
}
