import { resource, template } from '@causeway/engine'
import type { Feature, Policy } from '@causeway/engine'
import { parseUri } from './templating/uri.ts'
import type { FileTemplate } from './templating/template.ts'
import type { Catalog } from './tools/templates.ts'

/** The templates as resources: each by itself, and all of them as one family whose parts can be completed. */
export const templateResources = (catalog: Catalog): Feature[] => [
  ...catalog.map(({ uri, name, description, mimeType, body }) =>
    resource({ uri, name, description, mimeType, size: Buffer.byteLength(body) }, () => body),
  ),
  template(
    {
      uriTemplate: 'template://{category}/{toolchain}/{variant}',
      name: 'Project template',
      scheme: 'template',
      description: 'The source of a template, by what it makes, for which toolchain, in which variant',
      complete: {
        category: (typed, others) => proposed(catalog, 'category', typed, others),
        toolchain: (typed, others) => proposed(catalog, 'toolchain', typed, others),
        variant: (typed, others) => proposed(catalog, 'variant', typed, others),
      },
    },
    // The parts may have been escaped; what they were stands for nothing else.
    ({ category, toolchain, variant }) => {
      const uri = `template://${category}/${toolchain}/${variant}`
      parseUri(uri)
      const found = catalog.find(known => known.uri === uri)
      return found && { uri, mimeType: found.mimeType, text: found.body }
    },
  ),
]

type Part = 'category' | 'toolchain' | 'variant'

/** Values that go with what was chosen for the other parts. */
function proposed(catalog: Catalog, part: Part, typed: string, others: Readonly<Record<string, string>>): string[] {
  const fits = (known: FileTemplate): boolean =>
    (['category', 'toolchain', 'variant'] as const).every(p => p === part || (others[p] ?? known[p]) === known[p])
  const values = new Set(catalog.filter(fits).map(known => known[part]))
  return [...values].filter(value => value.startsWith(typed.toLowerCase()))
}

/** Distinguishes a URI that cannot be a template's from one that is unknown. */
export const templateUris: Policy = (call, next) => {
  const { uri } = call.params
  if (call.method === 'resources/read' && typeof uri === 'string' && /^template:/i.test(uri)) parseUri(uri)
  return next(call)
}
