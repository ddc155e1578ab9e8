import type { MirrorHeaders } from '../call.ts'
import { fault } from '../jsonrpc/errors.ts'
import { isObject } from '../jsonrpc/message.ts'
import type { Params, Request } from '../jsonrpc/message.ts'
import type { ParamHeader } from '../wire.ts'

export type { ParamHeader } from '../wire.ts'

const TOKEN = /^[!#$%&'*+.^_`|~\w-]+$/
const MIRRORED = new Set<unknown>(['string', 'integer', 'boolean'])

/** The version a request claims must be the one its header names. */
export function checkVersionHeader(said: string | undefined, version: string, required: boolean): void {
  if (said === undefined ? required : said !== version) {
    throw mismatch('MCP-Protocol-Version', said, version)
  }
}

/** The method and the parameter that `mirror` names must be repeated in headers; where that is optional, they must not differ. */
export function checkMirrors(headers: MirrorHeaders, { method, params = {} }: Request, mirror?: string): void {
  const { required } = headers
  const saidMethod = headers.get('mcp-method')
  if (saidMethod === undefined ? required : saidMethod !== method) throw mismatch('Mcp-Method', saidMethod, method)
  const name = mirror === undefined ? undefined : params[mirror]
  if (typeof name !== 'string') return
  const said = headers.get('mcp-name')
  if (said === undefined ? required : decode(said) !== name) throw mismatch('Mcp-Name', said, name)
}

/** Each annotated argument must be repeated in its header. */
export function checkParamHeaders(headers: MirrorHeaders, annotated: readonly ParamHeader[], args: unknown): void {
  for (const { header, path } of annotated) {
    const name = `Mcp-Param-${header}`
    const said = headers.get(name.toLowerCase())
    const value = path.reduce<unknown>((inner, key) => (isObject(inner) ? inner[key] : undefined), args)
    const absent = value === undefined || value === null
    if (absent ? said !== undefined : said === undefined || !isSame(decode(said), value)) {
      throw mismatch(
        name,
        said,
        absent ? 'no value' : typeof value === 'object' ? 'a plain value' : JSON.stringify(value),
      )
    }
  }
}

function isSame(said: string | undefined, value: unknown): boolean {
  if (said === undefined) return false
  if (typeof value === 'number') return said.trim() !== '' && Number(said) === value && Number.isSafeInteger(value)
  return (typeof value === 'string' || typeof value === 'boolean') && said === String(value)
}

/** `=?base64?…?=` → what it stands for, undefined if it is not canonical; anything else is itself. */
function decode(value: string): string | undefined {
  if (!value.startsWith('=?base64?') || !value.endsWith('?=') || value.length < 11) return value
  const body = value.slice(9, -2)
  const bytes = Buffer.from(body, 'base64')
  if (bytes.toString('base64') !== body) return undefined
  const text = bytes.toString('utf8')
  return Buffer.from(text, 'utf8').equals(bytes) ? text : undefined
}

const mismatch = (name: string, said: string | undefined, expected: string): Error =>
  fault(
    'header-mismatch',
    `Header mismatch: ${name} is ${said === undefined ? 'missing' : `'${said.slice(0, 100)}'`}`,
    {
      header: name,
      expected: expected.slice(0, 200),
    },
  )

/** The annotated arguments of a tool; an annotation that clients would refuse throws. */
export function paramHeaders(tool: string, schema: Params): ParamHeader[] {
  const found: ParamHeader[] = []
  collect(schema, [], found, tool)
  const seen = new Set<string>()
  for (const { header } of found) {
    if (seen.has(header.toLowerCase())) throw new TypeError(`Tool '${tool}': x-mcp-header '${header}' is used twice`)
    seen.add(header.toLowerCase())
  }
  return found
}

function collect(schema: Params, path: readonly string[], found: ParamHeader[], tool: string): void {
  if (Object.entries(schema).some(([key, inner]) => !PLAIN.has(key) && hidesHeader(inner))) {
    throw new TypeError(`Tool '${tool}': x-mcp-header is for arguments that plain properties lead to`)
  }
  if (!isObject(schema.properties)) return
  for (const [key, property] of Object.entries(schema.properties)) {
    if (!isObject(property)) continue
    const here = [...path, key]
    const header = property['x-mcp-header']
    if (header !== undefined)
      found.push({ header: checkedName(header, property.type, `Tool '${tool}', ${here.join('.')}`), path: here })
    collect(property, here, found, tool)
  }
}

// Where no other schema can stand.
const PLAIN: ReadonlySet<string> = new Set(['properties', 'default', 'const', 'enum', 'examples'])

/** Is an argument annotated that a header could not name, such as an item of a list? */
function hidesHeader(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.some(hidesHeader)
  if (!isObject(schema)) return false
  if (typeof schema['x-mcp-header'] === 'string') return true
  return Object.entries(schema).some(([key, inner]) =>
    key === 'properties' && isObject(inner)
      ? Object.values(inner).some(hidesHeader)
      : !PLAIN.has(key) && hidesHeader(inner),
  )
}

function checkedName(header: unknown, type: unknown, where: string): string {
  if (typeof header !== 'string' || !TOKEN.test(header))
    throw new TypeError(`${where}: x-mcp-header must be a header name`)
  if (!MIRRORED.has(type))
    throw new TypeError(`${where}: x-mcp-header is for arguments of type string, integer or boolean`)
  return header
}
