import { problemOf } from './parameters.ts'
import { PARAMETER_TYPES } from './template.ts'
import type { FileTemplate, Parameter, ParameterType } from './template.ts'

/** What a template file says of itself. */
export type Header = Pick<FileTemplate, 'name' | 'description' | 'mimeType' | 'file' | 'parameters'>

const FRONT = /^---\r?\n([^]*?)\r?\n---\r?\n([^]*)$/
const KEYS = ['name', 'description', 'mimeType', 'file', 'parameters']
const PARAMETER_KEYS = ['name', 'type', 'required', 'default', 'pattern', 'description']

type Fields = Readonly<Record<string, unknown>>

/** Take a template file apart: what it says of itself, checked, and the template. */
export function readTemplate(text: string, parse: (yaml: string) => unknown): { header: Header; body: string } {
  const [, front, body = ''] = FRONT.exec(text) ?? []
  if (front === undefined) throw new Error('must begin with front matter between two lines ---')
  const fields = known(parse(front), KEYS, 'the front matter')
  const file = word(fields, 'file')
  if (!/^[\w.][\w.-]*(?:\/[\w.][\w.-]*)*$/.test(file) || /(?:^|\/)\.\.?(?:\/|$)/.test(file))
    throw new Error(`'file' must be the name of a file, or a path below the project`)
  const { parameters = [] } = fields
  if (!Array.isArray(parameters)) throw new Error(`'parameters' must be a list`)
  return {
    header: {
      name: word(fields, 'name'),
      description: word(fields, 'description'),
      mimeType: word(fields, 'mimeType'),
      file,
      parameters: parameters.map(toParameter),
    },
    body,
  }
}

function known(value: unknown, keys: readonly string[], where: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error(`${where} must be a mapping`)
  const unknown = Object.keys(value).find(key => !keys.includes(key))
  if (unknown !== undefined) throw new Error(`${where} has an unknown key '${unknown}'; known: ${keys.join(', ')}`)
  return value as Fields
}

function word(fields: Fields, key: string): string {
  const value = fields[key]
  if (typeof value !== 'string' || value === '') throw new Error(`'${key}' must be a string`)
  return value
}

function toParameter(value: unknown): Parameter {
  const fields = known(value, PARAMETER_KEYS, 'a parameter')
  const name = word(fields, 'name')
  const { type, required = false } = fields
  if (!/^[a-z_]\w*$/i.test(name)) throw new Error(`a parameter cannot be called '${name}'`)
  if (!PARAMETER_TYPES.includes(type as ParameterType))
    throw new Error(`'type' of ${name} must be one of ${PARAMETER_TYPES.join(', ')}`)
  if (typeof required !== 'boolean') throw new Error(`'required' of ${name} must be true or false`)
  if (required === 'default' in fields) throw new Error(`${name} must be required or have a default, and not both`)
  const parameter: Parameter = {
    name,
    type: type as ParameterType,
    required,
    ...('default' in fields && { default: fields.default }),
    ...(fields.pattern !== undefined && { pattern: expression(word(fields, 'pattern')) }),
    description: word(fields, 'description'),
  }
  const problem = required ? undefined : problemOf(parameter, parameter.default)
  if (problem !== undefined) throw new Error(`the default of ${name} does not fit: ${problem}`)
  return parameter
}

/** The same text, if it is a regular expression; else this throws. */
function expression(text: string): string {
  void new RegExp(text, 'u')
  return text
}
