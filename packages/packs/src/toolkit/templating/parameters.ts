import { RpcError, didYouMean } from '@causeway/engine'
import type { FileTemplate, Parameter } from './template.ts'

/** What a template is given. */
export type Given = Readonly<Record<string, unknown>>

const INVALID_PARAMS = -32602
const LONGEST = 100
const MOST = 20

/** Every file belongs to a project, whether or not its template asks for the name. */
const PROJECT_NAME: Parameter = {
  name: 'project_name',
  type: 'string',
  required: false,
  pattern: '^[A-Za-z0-9][A-Za-z0-9._-]*$',
  description: 'Name of the project, of its folder and of its program',
}

/** Everything wrong with what a template is given, in words. */
export const problemsOf = (template: FileTemplate, given: Given): string[] => [
  ...wrongValues(template, given),
  ...unknownParameters([template], given),
]

/** What is missing of what a template declares, or does not fit. */
export const wrongValues = (template: FileTemplate, given: Given): string[] =>
  declaredBy(template).flatMap(parameter => problemOf(parameter, own(given, parameter.name)) ?? [])

/** What none of some templates declares. */
export function unknownParameters(templates: readonly FileTemplate[], given: Given): string[] {
  const names = [...new Set(templates.flatMap(template => declaredBy(template).map(({ name }) => name)))]
  const unknown = Object.keys(given).filter(name => !names.includes(name))
  return unknown.map(name => unknownParameter(name, names))
}

const declaredBy = ({ parameters }: FileTemplate): readonly Parameter[] =>
  parameters.some(({ name }) => name === PROJECT_NAME.name) ? parameters : [...parameters, PROJECT_NAME]

/** The values a template is rendered with: what was given of what it declares, and defaults for the rest. */
export function valuesOf({ parameters }: FileTemplate, given: Given): Record<string, unknown> {
  return Object.fromEntries(
    parameters.map(({ name, default: value }) => [name, structuredClone(own(given, name) ?? value)]),
  )
}

/** The refusal of what a template cannot be given. */
export function invalidParameters(uri: string, problems: readonly string[]): Error {
  const shown = problems.slice(0, MOST)
  const rest = problems.length > MOST ? [`and ${problems.length - MOST} more`] : []
  const words = `Parameter validation failed for ${uri}: ${[...shown, ...rest].join(' ')}`
  return new RpcError(INVALID_PARAMS, words, { template: uri, errors: shown }, { kind: 'invalid-template-parameters' })
}

const own = (given: Given, name: string): unknown => (Object.hasOwn(given, name) ? given[name] : undefined)

/** What is wrong with the value of one parameter, in words. */
export function problemOf({ name, type, required, pattern }: Parameter, value: unknown): string | undefined {
  if (value === undefined) return required ? `Missing required parameter '${name}' (${type}).` : undefined
  if (!isOf(type, value)) return `Parameter '${name}' must be ${WORDS[type]}, got ${show(value)}.`
  if (pattern === undefined) return undefined
  const test = new RegExp(pattern, 'u')
  const misfit = (Array.isArray(value) ? value : [value]).find(item => !test.test(String(item)))
  return misfit === undefined ? undefined : `Parameter '${name}' must match ${pattern}, got ${show(misfit)}.`
}

const WORDS = {
  string: 'a string',
  boolean: 'true or false',
  number: 'a number',
  array: 'an array of strings',
} as const

const isOf = (type: Parameter['type'], value: unknown): boolean =>
  type === 'array' ? Array.isArray(value) && value.every(item => typeof item === 'string') : typeof value === type

function unknownParameter(name: string, known: readonly string[]): string {
  const hint = didYouMean(name, known)
  const supported = `Supported parameters: ${known.join(', ') || 'none'}.`
  return [`Unknown parameter '${cut(name)}'.`, hint, supported].filter(part => part !== undefined).join(' ')
}

const cut = (text: string): string => (text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text)
const show = (value: unknown): string => cut(typeof value === 'string' ? `'${value}'` : JSON.stringify(value))
