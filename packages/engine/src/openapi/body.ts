import { randomUUID } from 'node:crypto'
import type { Json } from './document.ts'
import { isForm, isTextType } from './input.ts'
import { isJsonType } from './operations.ts'
import type { Body } from './operations.ts'
import { pairsOf } from './parameter-text.ts'
import type { Pair } from './parameter-text.ts'
import { isObject } from '../support/is-object.ts'

/** A body as it is sent. */
export interface SentBody {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array<ArrayBuffer>
}

/** What a call has for a body: one argument, or properties that stand beside parameters. */
export interface BodyArguments {
  readonly whole: unknown
  readonly properties: readonly (readonly [string, unknown])[]
  /** The schema that arguments were checked by. */
  readonly schema: Json | undefined
}

/** The body that a call sends; undefined for none. */
export function bodyFor(body: Body, { whole, properties, schema }: BodyArguments): SentBody | undefined {
  const value = whole ?? (properties.length > 0 || body.required ? Object.fromEntries(properties) : undefined)
  if (value === undefined) return undefined
  const { type } = body
  const headers = { 'content-type': type }
  if (isJsonType(type)) return { headers, body: JSON.stringify(value) }
  if (isForm(type) && isObject(value)) return type.startsWith('m') ? multipart(body, value, schema) : form(body, value)
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return { headers, body: isTextType(type) ? text : Buffer.from(text, 'base64') }
}

/** How one property is written; what has no style and is no scalar is JSON, as OpenAPI says. */
function pairs(body: Body, name: string, value: unknown): readonly Pair[] {
  const encoding = body.encoding[name]
  const { style, explode } = isObject(encoding) ? encoding : ({} as Json)
  const isNested = (isObject(value) || (Array.isArray(value) && value.some(isObject))) && style === undefined
  return pairsOf(name, value, {
    style: typeof style === 'string' ? style : undefined,
    explode: typeof explode === 'boolean' ? explode : undefined,
    isJson: isNested,
  })
}

function form(body: Body, value: Json): SentBody {
  const fields = Object.entries(value).flatMap(([name, one]) => pairs(body, name, one))
  const text = new URLSearchParams(fields.map(([name, one]): [string, string] => [name, one])).toString()
  return { headers: { 'content-type': body.type }, body: text }
}

function multipart(body: Body, value: Json, schema: Json | undefined): SentBody {
  const boundary = `causeway-${randomUUID()}`
  const parts = Object.entries(value).flatMap(([name, one]) =>
    pairs(body, name, one).map(([field, text]) => partOf(boundary, [field, text], isBytes(schema, name))),
  )
  return {
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
    body: Buffer.concat([...parts, Buffer.from(`--${boundary}--\r\n`)]),
  }
}

function partOf(boundary: string, [name, text]: Pair, isFile: boolean): Buffer {
  const quoted = name.replaceAll(/["\r\n]/g, character => encodeURIComponent(character))
  const file = isFile ? `; filename="${quoted}"\r\nContent-Type: application/octet-stream` : ''
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="${quoted}"${file}\r\n\r\n`
  return Buffer.concat([Buffer.from(head), Buffer.from(text, isFile ? 'base64' : 'utf8'), Buffer.from('\r\n')])
}

/** Is a property of a form a file, which a model gives as base64? */
function isBytes(schema: Json | undefined, name: string): boolean {
  const property = isObject(schema?.properties) ? schema.properties[name] : undefined
  return isObject(property) && property.contentEncoding === 'base64'
}
