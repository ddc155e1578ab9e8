import { fault, tool } from '@causeway/engine'
import type { Tool } from '@causeway/engine'
import { constants } from 'node:fs'
import { lstat, open } from 'node:fs/promises'
import { isMissing } from '../../support/files/errno.ts'
import { refuseProtected } from '../../support/git/protect.ts'
import type { Jail } from '../../support/files/jail.ts'
import { invalidParameters, unknownParameters, wrongValues } from '../templating/parameters.ts'
import type { Given } from '../templating/parameters.ts'
import { pathOf } from '../templating/path.ts'
import { render } from '../templating/render.ts'
import type { FileTemplate } from '../templating/template.ts'
import { notFound } from '../templating/uri.ts'
import { choices } from './templates.ts'
import type { Catalog } from './templates.ts'

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
  },
  required: ['files'],
} as const

/** Makes several files of one project; where writing is allowed, it can put them there. */
export function scaffoldProject(catalog: Catalog, jail: Jail, readOnly: boolean): Tool {
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
      description: 'Generate multiple templates for project scaffolding',
      readOnly,
      destructive: false,
      openWorld: false,
      input: {
        type: 'object',
        properties: { toolchain, templates, ...PROPERTIES, ...(!readOnly && { write: WRITE }) },
        required: ['toolchain', 'templates', 'parameters'],
        additionalProperties: false,
      },
      output: OUTPUT,
    },
    async ({ toolchain, templates, parameters, write = false }) => {
      const chosen = [...new Set(templates)].map(name => named(catalog, toolchain, name))
      check(chosen, parameters as Given, suited(catalog, toolchain))
      const files = await Promise.all(chosen.map(template => make(template, parameters as Given)))
      if (!write || readOnly) return { files }
      await writeAll(jail, files)
      return { files, written: true }
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

/** All or, if one of them exists, none. */
async function writeAll(jail: Jail, files: readonly File[]): Promise<void> {
  for (const { path } of files) {
    const place = await jail.locate({ path, link: true })
    refuseProtected(jail, place, { path })
    const exists = await lstat(place).then(
      () => true,
      (error: unknown) => {
        if (isMissing(error)) return false
        throw error
      },
    )
    if (exists) throw fault('tool-failed', `Nothing was written: '${path}' exists already`)
  }
  for (const { path, content } of files) {
    await jail.at({ path, make: true }, async ({ at }) => {
      const file = await open(at, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o644)
      try {
        await file.writeFile(content)
      } finally {
        await file.close()
      }
    })
  }
}
