import type { Liquid } from 'liquidjs'
import { RpcError } from '@causeway/engine'
import { valuesOf } from './parameters.ts'
import type { Given } from './parameters.ts'
import type { FileTemplate } from './template.ts'

const INTERNAL = -32603
let engine: Promise<Liquid> | undefined

/** Make the file from parameters that were checked: defaults filled in, what the template does not declare left out. */
export async function render(template: FileTemplate, given: Given): Promise<string> {
  const liquid = await (engine ??= load())
  try {
    return (await liquid.parseAndRender(template.body, valuesOf(template, given))) as string
  } catch (cause) {
    const words = `Template ${template.uri} cannot be rendered: ${cause instanceof Error ? cause.message : String(cause)}`
    throw new RpcError(INTERNAL, words, undefined, { kind: 'tool-failed', cause })
  }
}

/** Plain text in and out: nothing is escaped, no file can be included, nothing inherited can be reached. */
async function load(): Promise<Liquid> {
  const { Liquid } = await import('liquidjs')
  const liquid = new Liquid({
    templates: {},
    dynamicPartials: false,
    ownPropertyOnly: true,
    strictVariables: true,
    strictFilters: true,
    jsTruthy: true,
    parseLimit: 1_000_000,
    renderLimit: 1000,
    memoryLimit: 10_000_000,
  })
  liquid.registerFilter('snake_case', (text: unknown) => words(text).join('_'))
  liquid.registerFilter('kebab_case', (text: unknown) => words(text).join('-'))
  liquid.registerFilter('pascal_case', (text: unknown) => words(text).map(capital).join(''))
  liquid.registerFilter('make', (text: unknown) => String(text).replaceAll('$', '$$$$').replaceAll('#', '\\#'))
  return liquid
}

const words = (text: unknown): string[] =>
  String(text)
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .split(/[^\p{L}\p{N}]+/u)
    .filter(word => word !== '')
    .map(word => word.toLowerCase())
const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)
