import { matchTemplate } from './match-template.ts'
import type { Part, Slot } from './match-template.ts'

interface Operator {
  readonly first: string
  readonly separator: string
  readonly named: boolean
  readonly reserved: boolean
}

interface Variable {
  readonly name: string
  readonly explode: boolean
  readonly prefix: number | undefined
}

interface Expression {
  readonly operator: Operator
  readonly variables: readonly Variable[]
}

const operator = (first: string, separator: string, named = false, reserved = false): Operator => ({
  first,
  separator,
  named,
  reserved,
})
// RFC 6570, appendix A.
const OPERATORS: Readonly<Record<string, Operator>> = {
  '': operator('', ','),
  '+': operator('', ',', false, true),
  '#': operator('#', ',', false, true),
  '.': operator('.', '.'),
  '/': operator('/', '/'),
  ';': operator(';', ';', true),
  '?': operator('?', '&', true),
  '&': operator('&', '&', true),
}
const VARIABLE = /^((?:\w|%[\da-fA-F]{2})(?:[\w.]|%[\da-fA-F]{2})*)(?::([1-9]\d{0,3})|(\*))?$/

/** What a variable can stand for: a word, a list, or names with values. */
export type Value = string | readonly string[] | Readonly<Record<string, string>>

/** An RFC 6570 URI template, compiled: names its variables, fills them in, and reads them back. */
export interface UriTemplate {
  readonly variables: readonly string[]
  expand(values: Readonly<Record<string, Value | undefined>>): string
  /** The variables of a URI that follows the template. */
  match(uri: string): Record<string, string> | undefined
}

const MOST_PARTS = 200

/** Compile a template; a malformed one throws. */
export function uriTemplate(source: string): UriTemplate {
  const parts = parse(source)
  const names: string[] = []
  const pattern: Part[] = parts.flatMap((part): Part[] => (typeof part === 'string' ? [part] : slotsOf(part, names)))
  if (pattern.length > MOST_PARTS)
    throw new TypeError(`URI template '${source.slice(0, 100)}…': it has more than ${MOST_PARTS} parts`)
  return {
    variables: [...new Set(names)],
    expand: values => parts.map(part => (typeof part === 'string' ? part : expand(part, values))).join(''),
    match(uri) {
      const found = matchTemplate(pattern, uri)
      return found ? read(names, found) : undefined
    },
  }
}

function parse(source: string): (string | Expression)[] {
  const parts = source.split(/(\{[^{}]*\})/)
  return parts
    .filter(part => part !== '')
    .map(part => {
      if (part.startsWith('{') && part.endsWith('}')) return expression(part.slice(1, -1), source)
      if (/[{}]/.test(part)) throw new TypeError(`URI template '${source}': braces do not match`)
      return part
    })
}

function expression(body: string, source: string): Expression {
  const sign = /^[+#./;?&]/.exec(body)?.[0] ?? ''
  const variables = body
    .slice(sign.length)
    .split(',')
    .map(spec => {
      const [, name, prefix, explode] = VARIABLE.exec(spec) ?? []
      if (name === undefined) throw new TypeError(`URI template '${source}': '{${body}}' is not a valid expression`)
      return { name, explode: explode !== undefined, prefix: prefix === undefined ? undefined : Number(prefix) }
    })
  return { operator: OPERATORS[sign] ?? operator('', ','), variables }
}

function expand({ operator: op, variables }: Expression, values: Readonly<Record<string, Value | undefined>>): string {
  const said = variables.flatMap(variable => {
    const value = Object.hasOwn(values, variable.name) ? values[variable.name] : undefined
    return value === undefined ? [] : say(value, variable, op)
  })
  return said.length === 0 ? '' : op.first + said.join(op.separator)
}

/** The pieces one variable becomes. */
function say(value: Value, { name, explode, prefix }: Variable, { named, reserved, first }: Operator): string[] {
  const written = (v: string): string => encode(cutTo(v, prefix), reserved)
  const label = (key: string, v: string): string => (v === '' && first === ';' ? key : `${key}=${v}`)
  const list = (typeof value === 'string' ? [value] : isList(value) ? value : []).map(written)
  const pairs = typeof value === 'string' || isList(value) ? [] : Object.entries(value).map(pair => pair.map(written))
  if (list.length === 0 && pairs.length === 0) return []
  if (explode) return [...list.map(v => (named ? label(name, v) : v)), ...pairs.map(([k = '', v = '']) => `${k}=${v}`)]
  const joined = [...list, ...pairs.flat()].join(',')
  return [named ? label(name, joined) : joined]
}

const isList = (value: Value): value is readonly string[] => Array.isArray(value)

const cutTo = (value: string, length: number | undefined): string =>
  length === undefined ? value : Array.from(value).slice(0, length).join('')

const percent = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, c => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)
const encode = (value: string, reserved: boolean): string =>
  reserved
    ? value.replace(/%[\da-fA-F]{2}|[^\w\-.~:/?#[\]@!$&'()*+,;=]+/gu, s =>
        /^%[\da-fA-F]{2}$/.test(s) ? s : percent(s),
      )
    : percent(value)

/** What an expression may have been expanded to, variable by variable. */
function slotsOf({ operator: op, variables }: Expression, names: string[]): Slot[] {
  const never = op.reserved ? /[\s{}]/ : op.separator === '.' ? /[./?#&=\s{}]/ : /[/?#&=\s{}]/
  return variables.map(({ name, explode }, i) => {
    names.push(name)
    const again = op.named ? `${op.separator}${name}=` : /[./]/.test(op.separator) ? op.separator : ''
    return {
      // Any of those with names may be left out, so each may be the first.
      before: op.named ? [...new Set([op.first, op.separator])] : [i === 0 ? op.first : op.separator],
      label: op.named ? name : undefined,
      // A simple variable must stand for something, or every shorter URI would match.
      isOptional: op.first !== '',
      least: op.first === '' || op.reserved ? 1 : 0,
      never,
      again: explode ? again : '',
    }
  })
}

function read(names: readonly string[], found: readonly (string | undefined)[]): Record<string, string> | undefined {
  const pairs = names.map((name, i) => [name, found[i]] as const)
  try {
    return Object.fromEntries(
      pairs.flatMap(([name, value]) => (value === undefined ? [] : [[name, decodeURIComponent(value)]])),
    )
  } catch {
    return undefined
  }
}
