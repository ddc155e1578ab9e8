import { createServer, prompt, resource, template, tool } from '@causeway/engine'
import type { Annotations, Content, Feature, Icon, Server, ServerOptions, Tool } from '@causeway/engine'

/** A picture for whatever may carry one. */
export const ICON: Icon = { src: 'https://example.com/a.png', mimeType: 'image/png', sizes: ['48x48'], theme: 'dark' }
/** Notes on a block, with the member that came last. */
export const NOTES: Annotations = { audience: ['user'], priority: 0.5, lastModified: '2026-01-02T03:04:05Z' }
/** Something of ours in `_meta`. */
export const META: Readonly<Record<string, unknown>> = { 'com.example/x': 1 }

/** One block of every type, with everything a block may have. */
export const BLOCKS: readonly Content[] = [
  { type: 'text', text: 'words', annotations: NOTES, _meta: META },
  { type: 'image', data: 'aW1n', mimeType: 'image/png', annotations: NOTES },
  { type: 'audio', data: 'c25k', mimeType: 'audio/wav', _meta: META },
  { type: 'resource', resource: { uri: 'x://text', mimeType: 'text/plain', text: 'inside', _meta: META } },
  { type: 'resource', resource: { uri: 'x://blob', blob: 'YmxvYg==' } },
  {
    type: 'resource_link',
    uri: 'x://link',
    name: 'link',
    title: 'A link',
    description: 'to somewhere',
    mimeType: 'text/plain',
    size: 3,
    icons: [ICON],
  },
]

const PAIR = {
  type: 'object',
  properties: { a: { type: 'number' }, b: { type: 'number' } },
  required: ['a', 'b'],
  additionalProperties: false,
} as const
const SUM = { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] } as const

/** A tool with everything a tool may have. */
export const rich: Tool = tool(
  {
    name: 'rich',
    title: 'Rich',
    description: 'Adds.',
    icons: [ICON],
    _meta: META,
    input: PAIR,
    output: SUM,
    readOnly: true,
    destructive: false,
    idempotent: true,
    openWorld: false,
  },
  ({ a, b }) => ({ sum: a + b }),
)

const identity: ServerOptions = {
  name: 'showcase',
  version: '1.2.3',
  title: 'Showcase',
  description: 'Has one of everything.',
  websiteUrl: 'https://example.com',
  icons: [ICON],
  instructions: 'Use it wisely.',
}

const fixed = (): Feature[] => [
  rich,
  tool({ name: 'gallery' }, () => ({ content: BLOCKS, _meta: META })),
  resource(
    {
      uri: 'x://note',
      name: 'note',
      title: 'Note',
      description: 'A note.',
      mimeType: 'text/plain',
      size: 5,
      icons: [ICON],
      annotations: NOTES,
      _meta: META,
    },
    () => 'hello',
  ),
  resource({ uri: 'x://raw', name: 'raw', mimeType: 'image/png' }, () => new Uint8Array([1, 2, 3])),
  resource({ uri: 'x://many', name: 'many' }, () => [
    { uri: 'x://many/1', text: 'one', _meta: META },
    { uri: 'x://many/2', blob: 'dHdv' },
  ]),
]

const filled = (): Feature[] => [
  template(
    {
      uriTemplate: 'plan://{year}/{name}',
      name: 'plan',
      title: 'Plan',
      description: 'A plan.',
      mimeType: 'text/plain',
      icons: [ICON],
      annotations: NOTES,
      _meta: META,
      complete: { year: ['2025', '2026', '1999'] },
    },
    ({ year, name }) => (year === '1900' ? undefined : `${name} in ${year}`),
  ),
  prompt(
    {
      name: 'brief',
      title: 'Brief',
      description: 'Briefs.',
      icons: [ICON],
      _meta: META,
      arguments: [
        { name: 'topic', title: 'Topic', description: 'What about.', required: true, complete: ['tides', 'tiles'] },
        { name: 'tone' },
      ],
    },
    ({ topic, tone }) => [
      { role: 'assistant', content: { type: 'text', text: `${topic} ${tone ?? 'plainly'}` } },
      ...BLOCKS,
    ],
  ),
]

/** A server that has one of everything. */
export function showcase(options: Partial<ServerOptions> = {}): Server {
  return createServer({ ...identity, ...options }).add(...fixed(), ...filled())
}
