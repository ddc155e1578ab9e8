import { didYouMean } from './nearest.ts'
import { isObject } from '../support/is-object.ts'
import type { Json } from './parts.ts'

/** One thing wrong with a value, in words a model can act on. */
export interface Problem {
  /** Which argument: its name, or a dotted path inside it. */
  readonly argument: string
  /** The schema keyword it breaks; `unknown` for a parameter that does not exist. */
  readonly rule: string
  readonly what: string
  readonly hint?: string | undefined
  readonly allowed?: string | undefined
  /** What was sent, cut short. */
  readonly sent?: string | undefined
}

/** What a validator reports. */
export interface Finding {
  readonly keyword: string
  readonly instancePath: string
  readonly schemaPath: string
  readonly params: object
  readonly message: string
}

/** Findings → problems, in the order in which the schema names the arguments, unknown ones last. */
export function toProblems(findings: readonly Finding[], schema: Json, value: unknown): Problem[] {
  const problems = withoutEchoes(findings).flatMap(f => explain(f, schema, value))
  const order = isObject(schema.properties) ? Object.keys(schema.properties) : []
  const rank = ({ rule, argument }: Problem): number => {
    if (rule === 'unknown') return order.length + 1
    const index = order.indexOf(argument.split(/[.[]/, 1)[0] ?? '')
    return index < 0 ? order.length : index
  }
  return problems.sort((a, b) => rank(a) - rank(b))
}

const CLOSED = '/additionalProperties'

/** One finding per fault: an alternative that failed speaks for its branches, a closed object once for all it refused. */
function withoutEchoes(findings: readonly Finding[]): Finding[] {
  const choices = findings.filter(f => f.keyword === 'anyOf' || f.keyword === 'oneOf')
  const within = (f: Finding): boolean =>
    choices.some(c => c !== f && f.schemaPath.startsWith(`${c.schemaPath}/${c.keyword}/`))
  const isRefusal = ({ keyword, schemaPath }: Finding): boolean => keyword === 'boolean' && schemaPath.endsWith(CLOSED)
  const closed = new Map(findings.filter(isRefusal).map(f => [parentOf(f.instancePath), f]))
  const others = findings.filter(
    f => !isRefusal(f) && f.keyword !== 'additionalProperties' && !f.schemaPath.endsWith('/propertyNames'),
  )
  return [...others, ...[...closed.values()].map(toRefusal)].filter(f => !within(f))
}

/** What a closed object refused, as one finding about the object. */
const toRefusal = ({ schemaPath, instancePath, params, message }: Finding): Finding => ({
  keyword: 'additionalProperties',
  schemaPath: schemaPath.slice(0, -CLOSED.length),
  instancePath: parentOf(instancePath),
  params,
  message,
})

const parentOf = (pointer: string): string => pointer.slice(0, pointer.lastIndexOf('/'))

function explain(finding: Finding, schema: Json, value: unknown): Problem[] {
  const { keyword, instancePath } = finding
  const params = finding.params as Json
  const path = dotted(instancePath)
  const rules = pointed(schema, finding.schemaPath)
  const sent = pointed(value, `#${instancePath}`)
  if (keyword === 'required') {
    return strings(params.requiredProperties)
      .filter(name => !isObject(sent) || !Object.hasOwn(sent, name))
      .map(name => missing(cut(join(path, name)), propertyOf(rules, name)))
  }
  if (keyword === 'additionalProperties') {
    return unknownNames(rules, sent).map((name, i) => unknown(path, name, rules, i < SUGGESTED))
  }
  const argument = path === '' ? 'arguments' : cut(path)
  const { must, ...more } = demand(finding, rules, sent)
  return [{ argument, rule: keyword, what: `Parameter '${argument}' ${must}.`, sent: show(sent), ...more }]
}

/** What a rule asks of the value it refused. */
function demand(
  { keyword, params, message }: Finding,
  rules: unknown,
  sent: unknown,
): { must: string; hint?: string | undefined; allowed?: string } {
  const { limit, type, allowedValue, allowedValues } = params as Json
  const got = `got ${show(sent)}`
  switch (keyword) {
    case 'type':
      return { must: `must be ${typeName(type)}, ${got} (${typeName(typeOf(sent))})` }
    case 'enum': {
      const allowed = Array.isArray(allowedValues) ? allowedValues.map(plain) : []
      const hint = typeof sent === 'string' ? didYouMean(sent, allowed) : undefined
      return { must: `must be one of the supported values, ${got}`, hint, allowed: allowed.join(', ') }
    }
    case 'const':
      return { must: `must be ${show(allowedValue)}, ${got}` }
    case 'minimum':
    case 'maximum':
      return { must: `must be ${range(rules, limit, keyword)}, ${got}` }
    case 'minLength':
      return { must: limit === 1 ? 'must not be empty' : `must have at least ${plain(limit)} characters, ${got}` }
    case 'anyOf':
    case 'oneOf':
      return { must: `must be ${alternatives(rules, keyword)}, ${got}` }
    default:
      return { must: `${plainly(keyword, message)}, ${got}` }
  }
}

/** The validator's own words, unless they repeat what was sent. */
const plainly = (keyword: string, message: string): string =>
  keyword === 'propertyNames' ? 'has members whose names are not allowed' : message

function typeOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

function missing(argument: string, schema: unknown): Problem {
  const type = isObject(schema) && schema.type !== undefined ? ` (${typeName(schema.type)})` : ''
  return { argument, rule: 'required', what: `Missing required parameter '${argument}'${type}.` }
}

// More are only counted, so the hint would not be read.
const SUGGESTED = 20

function unknownNames(schema: unknown, sent: unknown): string[] {
  if (!isObject(schema) || !isObject(sent)) return []
  const { patternProperties = {} } = schema
  const patterns = Object.keys(patternProperties as Json).map(pattern => new RegExp(pattern, 'u'))
  const isKnown = (name: string): boolean =>
    propertyOf(schema, name) !== undefined || patterns.some(pattern => pattern.test(name))
  return Object.keys(sent).filter(name => !isKnown(name))
}

function unknown(path: string, name: string, schema: unknown, suggest: boolean): Problem {
  const known = isObject(schema) && isObject(schema.properties) ? Object.keys(schema.properties) : []
  const argument = cut(join(path, name))
  return {
    argument,
    rule: 'unknown',
    what: `Unknown parameter '${argument}'.`,
    hint: suggest ? didYouMean(name, known) : undefined,
    allowed: known.length > 0 ? known.join(', ') : 'none',
  }
}

function range(rules: unknown, limit: unknown, keyword: string): string {
  if (isObject(rules) && typeof rules.minimum === 'number' && typeof rules.maximum === 'number') {
    return `between ${rules.minimum} and ${rules.maximum}`
  }
  return keyword === 'minimum' ? `at least ${plain(limit)}` : `at most ${plain(limit)}`
}

function alternatives(rules: unknown, keyword: string): string {
  const branches: unknown[] = isObject(rules) && Array.isArray(rules[keyword]) ? rules[keyword] : []
  const said = branches.map(b =>
    isObject(b) && 'const' in b ? show(b.const) : isObject(b) ? typeName(b.type) : 'a value',
  )
  return [...new Set(said)].join(' or ')
}

function typeName(type: unknown): string {
  if (Array.isArray(type)) return type.map(typeName).join(' or ')
  if (type === 'null') return 'null'
  if (typeof type !== 'string') return 'a value of an allowed shape'
  return `${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type}`
}

const strings = (value: unknown): string[] => (Array.isArray(value) ? value.filter(v => typeof v === 'string') : [])
const join = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`)
const cut = (text: string): string => (text.length > 100 ? `${text.slice(0, 100)}…` : text)
const plain = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))
const propertyOf = (schema: unknown, name: string): unknown =>
  isObject(schema) && isObject(schema.properties) && Object.hasOwn(schema.properties, name)
    ? schema.properties[name]
    : undefined

/** A value as an error quotes it: JSON, cut at 100 characters. */
export function show(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (typeof value === 'string') return cut(`'${value.slice(0, 101)}'`)
  try {
    return cut(JSON.stringify(value))
  } catch {
    return 'a value nested too deeply to show'
  }
}

const segments = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map(s => s.replaceAll('~1', '/').replaceAll('~0', '~'))

/** `/items/0/name` → `items[0].name`. */
const dotted = (pointer: string): string =>
  segments(pointer).reduce((path, s) => (/^\d+$/.test(s) && path !== '' ? `${path}[${s}]` : join(path, s)), '')

function pointed(root: unknown, pointer: string): unknown {
  return segments(pointer).reduce<unknown>((value, key) => {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
    return (value as Json)[key]
  }, root)
}
