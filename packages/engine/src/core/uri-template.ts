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

/** An RFC 6570 URI template, compiled: names its variables, fills them in, and reads them back. */
export interface UriTemplate {
  readonly variables: readonly string[]
  expand(values: Readonly<Record<string, string | readonly string[] | undefined>>): string
  /** The variables of a URI that follows the template. */
  match(uri: string): Record<string, string> | undefined
}

/** Compile a template; a malformed one throws. */
export function uriTemplate(source: string): UriTemplate {
  const parts = parse(source)
  const names: string[] = []
  const pattern = parts.map(part => (typeof part === 'string' ? escape(part) : matcher(part, names))).join('')
  const regex = new RegExp(`^${pattern}$`, 'u')
  return {
    variables: [...new Set(names)],
    expand: values => parts.map(part => (typeof part === 'string' ? part : expand(part, values))).join(''),
    match(uri) {
      const found = regex.exec(uri)
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

function expand({ operator: op, variables }: Expression, values: Readonly<Record<string, unknown>>): string {
  const said = variables.flatMap(({ name, explode, prefix }) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined
    if (value === undefined || (Array.isArray(value) && value.length === 0)) return []
    const list = (Array.isArray(value) ? value : [value]).map(v => encode(cutTo(String(v), prefix), op.reserved))
    const label = (v: string): string => (v === '' && op.first === ';' ? name : `${name}=${v}`)
    if (!explode) return [op.named ? label(list.join(',')) : list.join(',')]
    return list.map(v => (op.named ? label(v) : v))
  })
  return said.length === 0 ? '' : op.first + said.join(op.separator)
}

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

/** What an expression may have been expanded to; each variable becomes a group. */
function matcher({ operator: op, variables }: Expression, names: string[]): string {
  const one = op.reserved ? '[^\\s{}]' : `[^${op.separator === '.' ? '.' : ''}/?#&=\\s{}]`
  const groups = variables.map(({ name, explode }, i) => {
    names.push(name)
    const before = i === 0 ? escape(op.first) : escape(op.separator)
    const value = explode
      ? `${one}*(?:${escape(op.separator)}${op.named ? `${escape(name)}=` : ''}${one}*)*`
      : `${one}${op.reserved ? '+' : '*'}`
    if (op.named) return `(?:${before}${escape(name)}(?:=(${value}))?)?`
    // A simple variable must stand for something, or every shorter URI would match.
    return op.first === '' ? `${before}(${value.replace(/\*$/, '+')})` : `(?:${before}(${value}))?`
  })
  return groups.join('')
}

function read(names: readonly string[], found: RegExpExecArray): Record<string, string> | undefined {
  const values: Record<string, string> = {}
  try {
    names.forEach((name, i) => {
      const value = found[i + 1]
      if (value !== undefined) values[name] = decodeURIComponent(value)
    })
  } catch {
    return undefined
  }
  return values
}

const escape = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
