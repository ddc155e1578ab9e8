import { tool } from '@causeway/engine'
import type { Tool } from '@causeway/engine'
import { invalidParameters, unknownParameters, wrongValues } from '../templating/parameters.ts'
import type { Given } from '../templating/parameters.ts'
import { pathOf } from '../templating/path.ts'
import { placed } from '../templating/placed.ts'
import { render } from '../templating/render.ts'
import { writeAll } from '../templating/write-all.ts'
import type { Desk } from '../templating/write-all.ts'
import type { FileTemplate } from '../templating/template.ts'
import { notFound } from '../templating/uri.ts'
import { choices } from './templates.ts'
import type { Catalog } from './templates.ts'

/** Where files are put. */
export interface ScaffoldDesk extends Desk {
  readonly readOnly: boolean
  /** As the document has it: files below the root, in a folder that is called like the project. */
  readonly documented: boolean
}

interface File {
  readonly path: string
  readonly content: string
}

/** The toolchain of templates that fit every project. */
const ANY = 'any'

const PROPERTIES = {
  parameters: { type: 'object', description: 'Shared parameters; each template takes those it declares' },
} as const
const WRITE = {
  type: 'boolean',
  default: false,
  description: 'Write the files below the root instead of only returning them; existing files are never replaced',
} as const
const PATH = {
  type: 'string',
  description:
    'The directory that becomes the project; what it has is kept and named. Default: a new one, project_name. ' +
    'A CI workflow goes to the top of the repository around it.',
} as const
const OUTPUT = {
  type: 'object',
  properties: {
    files: {
      type: 'array',
      items: {
        type: 'object',
        properties: { path: { type: 'string' }, content: { type: 'string' } },
        required: ['path', 'content'],
      },
    },
    written: { type: 'boolean', description: 'Present if the files were written' },
    kept: {
      type: 'array',
      items: { type: 'string' },
      description: 'Files that were there already, and are as they were',
    },
  },
  required: ['files'],
} as const

/** Makes several files of one project; where writing is allowed, it can put them there. */
export function scaffoldProject(catalog: Catalog, desk: ScaffoldDesk): Tool {
  const { jail, readOnly, documented } = desk
  const toolchain = { type: 'string', description: `Target toolchain: ${choices(catalog, 'toolchain')}` } as const
  const templates = {
    type: 'array',
    items: { type: 'string' },
    minItems: 1,
    description: `Template names to generate: ${choices(catalog, 'category')}`,
  } as const
  return tool(
    {
      name: 'scaffold_project',
      title: 'Scaffold Project',
      description: documented
        ? 'Generate multiple templates for project scaffolding'
        : 'Generate multiple templates for project scaffolding, for a new project or an existing one (path)',
      readOnly,
      destructive: false,
      openWorld: false,
      input: {
        type: 'object',
        properties: {
          toolchain,
          templates,
          ...PROPERTIES,
          ...(!documented && { path: PATH }),
          ...(!readOnly && { write: WRITE }),
        },
        required: ['toolchain', 'templates', 'parameters'],
        additionalProperties: false,
      },
      output: OUTPUT,
    },
    async ({ toolchain, templates, parameters, write = false, ...rest }, ctx) => {
      const { path } = rest as { readonly path?: string }
      const chosen = [...new Set(templates)].map(name => named(catalog, toolchain, name))
      check(chosen, parameters as Given, suited(catalog, toolchain))
      const made = await Promise.all(chosen.map(template => make(template, parameters as Given)))
      const files = documented ? made : await placed(jail, made, path)
      if (!write || readOnly) return { files }
      const kept = await writeAll(desk, files, { isKeeping: path !== undefined, ctx })
      const fresh = files.filter(file => !kept.includes(file.path))
      return { files: fresh, written: true, ...(kept.length > 0 && { kept }) }
    },
  )
}

const suited = (catalog: Catalog, toolchain: string): Catalog =>
  catalog.filter(template => template.toolchain === toolchain || template.toolchain === ANY)

/** A template of the toolchain by its name: its category, or category and variant. */
function named(catalog: Catalog, toolchain: string, name: string): FileTemplate {
  const [category, variant = 'cli'] = name.split('/')
  const ours = suited(catalog, toolchain)
  if (!ours.some(template => template.toolchain === toolchain)) {
    const known = [...new Set(catalog.map(template => template.toolchain))]
    throw notFound(`Template not found: no toolchain '${short(toolchain)}', only ${known.join(', ')}`, toolchain, known)
  }
  const found = ours.find(template => template.category === category && template.variant === variant)
  if (found) return found
  const known = ours.map(template =>
    template.variant === 'cli' ? template.category : `${template.category}/${template.variant}`,
  )
  throw notFound(`Template not found: '${short(name)}' for ${toolchain}, only ${known.join(', ')}`, name, known)
}

/** A parameter is shared: it is enough if some template of the toolchain takes it. */
function check(templates: readonly FileTemplate[], given: Given, all: Catalog): void {
  const problems = templates.flatMap(template => wrongValues(template, given).map(words => ({ template, words })))
  const [first] = problems
  if (first) throw invalidParameters(first.template.uri, [...new Set(problems.map(({ words }) => words))])
  const unknown = unknownParameters(all, given)
  if (unknown.length > 0) throw invalidParameters(templates.map(({ uri }) => uri).join(', '), unknown)
}

const short = (text: string): string => text.slice(0, 100)

const make = async (template: FileTemplate, given: Given): Promise<File> => ({
  path: pathOf(template, given),
  content: await render(template, given),
})
