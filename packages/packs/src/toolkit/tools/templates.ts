import { text, tool } from '@causeway/engine'
import type { Tool } from '@causeway/engine'
import { createHash } from 'node:crypto'
import { invalidParameters, problemsOf } from '../templating/parameters.ts'
import type { Given } from '../templating/parameters.ts'
import { pathOf } from '../templating/path.ts'
import { render } from '../templating/render.ts'
import type { FileTemplate } from '../templating/template.ts'
import { findTemplate } from '../templating/uri.ts'

/** The templates, in the order in which they are listed. */
export type Catalog = readonly FileTemplate[]

const ADDRESSED = {
  type: 'object',
  properties: {
    resource_uri: { type: 'string', description: 'Template URI (e.g., template://makefile/rust/cli)' },
    parameters: { type: 'object', description: 'Template parameters' },
  },
  required: ['resource_uri', 'parameters'],
  additionalProperties: false,
} as const

/** Makes one file. */
export const generateTemplate = (catalog: Catalog): Tool =>
  tool(
    {
      name: 'generate_template',
      title: 'Generate Template',
      description: 'Generate a template from a URI',
      readOnly: true,
      idempotent: true,
      openWorld: false,
      input: ADDRESSED,
      output: {
        type: 'object',
        properties: {
          content: { type: 'string', description: 'The file' },
          filename: { type: 'string', description: 'Where it belongs: the project and the name of the file' },
          checksum: { type: 'string', description: 'SHA-256 of the file, in hex' },
          toolchain: { type: 'string' },
        },
        required: ['content', 'filename', 'checksum', 'toolchain'],
      },
    },
    async ({ resource_uri, parameters }) => {
      const template = findTemplate(catalog, resource_uri)
      const problems = problemsOf(template, parameters as Given)
      if (problems.length > 0) throw invalidParameters(template.uri, problems)
      const content = await render(template, parameters as Given)
      const filename = pathOf(template, parameters as Given)
      const checksum = createHash('sha256').update(content).digest('hex')
      return {
        content: [text(content)],
        structuredContent: { content, filename, checksum, toolchain: template.toolchain },
      }
    },
  )

/** What lists say of a template. */
export const listedTemplate = ({ body: _, ...shown }: FileTemplate): Omit<FileTemplate, 'body'> => shown

/** Lists templates. */
export const listTemplates = (catalog: Catalog, documented: boolean): Tool =>
  tool(
    {
      name: 'list_templates',
      title: 'List Templates',
      description: documented
        ? 'List available templates with optional filtering, each with the parameters it takes'
        : 'List available templates, each with the names of its parameters; by toolchain or category, with what each parameter is',
      readOnly: true,
      idempotent: true,
      openWorld: false,
      input: {
        type: 'object',
        properties: {
          toolchain: { type: 'string', description: `Filter by toolchain: ${choices(catalog, 'toolchain')}` },
          category: { type: 'string', description: `Filter by category: ${choices(catalog, 'category')}` },
        },
        additionalProperties: false,
      },
    },
    ({ toolchain, category }) =>
      catalog
        .filter(template => toolchain === undefined || template.toolchain === toolchain)
        .filter(template => category === undefined || template.category === category)
        .map((template): object =>
          documented || (toolchain ?? category) !== undefined ? listedTemplate(template) : brief(template),
        ),
  )

/** A line of the whole list: the names of the parameters, those that are required with a star. */
const brief = ({ uri, parameters }: FileTemplate): { readonly uri: string; readonly parameters: string } => ({
  uri,
  parameters: parameters.map(({ name, required }) => (required ? `${name}*` : name)).join(', '),
})

/** The different values of one part of the templates' URIs, as a list of words. */
export const choices = (catalog: Catalog, part: 'toolchain' | 'category' | 'variant'): string =>
  [...new Set(catalog.map(template => template[part]))].join(', ')

/** Checks parameters without making anything. */
export const validateTemplate = (catalog: Catalog): Tool =>
  tool(
    {
      name: 'validate_template',
      title: 'Validate Template',
      description: 'Validate template parameters without generation',
      readOnly: true,
      idempotent: true,
      openWorld: false,
      input: ADDRESSED,
      output: {
        type: 'object',
        properties: { valid: { type: 'boolean' }, errors: { type: 'array', items: { type: 'string' } } },
        required: ['valid', 'errors'],
      },
    },
    ({ resource_uri, parameters }) => {
      const errors = problemsOf(findTemplate(catalog, resource_uri), parameters as Given)
      return { valid: errors.length === 0, errors }
    },
  )
