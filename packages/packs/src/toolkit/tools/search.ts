import { nearest, tool } from '@causeway/engine'
import type { Tool } from '@causeway/engine'
import { Segment, rank } from '@causeway/engine/internal'
import type { FileTemplate } from '../templating/template.ts'
import { listedTemplate } from './templates.ts'
import type { Catalog } from './templates.ts'

// Fewer hits than this, and words with typos are corrected.
const FEW = 3

/** Finds templates by words. */
export function searchTemplates(catalog: Catalog): Tool {
  let index: Index | undefined
  return tool(
    {
      name: 'search_templates',
      title: 'Search Templates',
      description:
        'Search templates by query string; results have a relevance, the best come first. For all of them use list_templates',
      readOnly: true,
      idempotent: true,
      openWorld: false,
      input: {
        type: 'object',
        properties: {
          query: { type: 'string', minLength: 1, maxLength: 1000, description: 'Search query' },
          toolchain: { type: 'string', description: 'Filter by toolchain' },
        },
        required: ['query'],
        additionalProperties: false,
      },
    },
    ({ query, toolchain }) =>
      search((index ??= indexOf(catalog)), query).flatMap(({ template, score }) =>
        toolchain === undefined || template.toolchain === toolchain
          ? [{ ...listedTemplate(template), relevance: Math.round(score * 100) / 100 }]
          : [],
      ),
  )
}

interface Index {
  readonly segments: readonly { readonly source: string; readonly segment: Segment }[]
  readonly words: readonly string[]
  readonly byUri: ReadonlyMap<string, FileTemplate>
}

const wordsIn = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []

function indexOf(catalog: Catalog): Index {
  const documents = catalog.map(toDocument)
  return {
    segments: [{ source: 'templates', segment: new Segment(documents) }],
    words: [
      ...new Set(documents.flatMap(({ name, title, description }) => wordsIn(`${name} ${title} ${description}`))),
    ],
    byUri: new Map(catalog.map(template => [template.uri, template])),
  }
}

const toDocument = ({ uri, name, description, category, toolchain, parameters }: FileTemplate) => ({
  uri,
  name,
  title: `${category} ${toolchain}`,
  description,
  inputSchema: { properties: Object.fromEntries(parameters.map(parameter => [parameter.name, {}])) },
})

interface Hit {
  readonly template: FileTemplate
  readonly score: number
}

/** The words as they are; only if they find little, the nearest words there are. */
function search(index: Index, query: string): readonly Hit[] {
  const exact = ranked(index, query)
  if (exact.length >= FEW) return exact
  const corrected = wordsIn(query).map(word => nearest(word, index.words, 1)[0] ?? word)
  const more = ranked(index, corrected.join(' '))
  return more.length > exact.length ? more : exact
}

const ranked = ({ segments, byUri }: Index, query: string): readonly Hit[] =>
  rank(segments, query, byUri.size).flatMap(({ tool: { uri }, score }) => {
    const template = byUri.get(String(uri))
    return template ? [{ template, score }] : []
  })
