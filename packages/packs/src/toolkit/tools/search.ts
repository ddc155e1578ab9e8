import { tool } from '@causeway/engine'
import type { Tool } from '@causeway/engine'
import type MiniSearch from 'minisearch'
import type { SearchResult } from 'minisearch'
import type { FileTemplate } from '../templating/template.ts'
import { listedTemplate } from './templates.ts'
import type { Catalog } from './templates.ts'

const FIELDS = ['name', 'description', 'category', 'toolchain', 'parameters']
const BOOST = { name: 4, category: 3, toolchain: 3, description: 2, parameters: 1 }
// Fewer hits than this, and near misses are looked for too.
const FEW = 3

/** Finds templates by words. */
export function searchTemplates(catalog: Catalog): Tool {
  let index: Promise<MiniSearch> | undefined
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
    async ({ query, toolchain }) => {
      const hits = search(await (index ??= build(catalog)), query)
      return hits.flatMap(({ id, score }) => {
        const found = catalog.find(template => template.uri === id)
        if (!found || (toolchain !== undefined && found.toolchain !== toolchain)) return []
        return [{ ...listedTemplate(found), relevance: Math.round(score * 100) / 100 }]
      })
    },
  )
}

async function build(catalog: Catalog): Promise<MiniSearch> {
  const { default: Index } = await import('minisearch')
  const index = new Index({ fields: FIELDS, idField: 'uri', searchOptions: { boost: BOOST } })
  index.addAll(catalog.map(toDocument))
  return index
}

const toDocument = ({ uri, name, description, category, toolchain, parameters }: FileTemplate): object => ({
  uri,
  name,
  description,
  category,
  toolchain,
  parameters: parameters.map(parameter => parameter.name.replaceAll('_', ' ')).join(' '),
})

/** Whole words first; only if they find little, beginnings of words and words with typos. */
function search(index: MiniSearch, query: string): SearchResult[] {
  const exact = index.search(query)
  return exact.length >= FEW ? exact : index.search(query, { prefix: true, fuzzy: 0.34 })
}
