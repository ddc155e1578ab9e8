import type { HttpRequest } from '../client/transports/http-client.ts'
import { isObject } from '../support/is-object.ts'
import type { Json } from './document.ts'
import { bodyFor } from './body.ts'
import type { Input } from './input.ts'
import type { Operation, Parameter } from './operations.ts'
import { pairsOf, simple } from './parameter-text.ts'

// What belongs to the connection, or says who is asking.
const OWN_HEADERS =
  /^(?:host|connection|content-length|transfer-encoding|upgrade|te|trailer|expect|keep-alive|proxy-.*|cookie|authorization|content-type|accept-encoding)$/i

/** An argument that cannot be sent; its message says what to send instead. */
export class ArgumentProblem extends Error {
  override readonly name = 'ArgumentProblem'
}

/** What is added to a request to say who is asking. */
export interface Proof {
  readonly headers?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  readonly cookies?: Readonly<Record<string, string>>
}

/** The request that an operation is, with these arguments. It never leaves the server's own address and path. */
export function requestFor(
  { operation, input, server }: { readonly operation: Operation; readonly input: Input; readonly server: URL },
  args: Json,
  proof: Proof,
): HttpRequest {
  const placed = placedIn(input, args)
  const url = urlOf(server, operation.path, placed)
  for (const [name, value] of Object.entries(proof.query ?? {})) url.searchParams.append(name, value)
  const body = operation.body && bodyFor(operation.body, { ...placed, schema: input.body })
  const cookies = { ...placed.cookies, ...proof.cookies }
  return {
    method: operation.method.toUpperCase() as HttpRequest['method'],
    url,
    headers: {
      accept: 'application/json, */*;q=0.5',
      'accept-encoding': 'identity',
      'user-agent': 'causeway',
      ...placed.headers,
      ...body?.headers,
      ...(Object.keys(cookies).length > 0 && { cookie: cookieText(cookies) }),
      ...proof.headers,
    },
    ...(body && { body: body.body }),
  }
}

interface Placed {
  readonly path: Map<string, string>
  readonly query: [string, string][]
  readonly headers: Record<string, string>
  readonly cookies: Record<string, string>
  readonly properties: [string, unknown][]
  whole: unknown
}

function placedIn({ slots }: Input, args: Json): Placed {
  const placed: Placed = { path: new Map(), query: [], headers: {}, cookies: {}, properties: [], whole: undefined }
  for (const [name, value] of Object.entries(args)) {
    const slot = slots.get(name)
    if (!slot || value === undefined) continue
    if (slot.kind === 'body') placed.whole = value
    else if (slot.kind === 'property') placed.properties.push([slot.name, value])
    else place(placed, slot.parameter, value)
  }
  return placed
}

function place(placed: Placed, parameter: Parameter, value: unknown): void {
  const { name } = parameter
  if (parameter.in === 'query') placed.query.push(...(pairsOf(name, value, parameter) as [string, string][]))
  else if (parameter.in === 'path') placed.path.set(name, segmentFor(name, simple(value)))
  else if (parameter.in === 'cookie') placed.cookies[name] = simple(value)
  else if (OWN_HEADERS.test(name)) throw new ArgumentProblem(`The header '${name}' cannot be set by an argument.`)
  else placed.headers[name.toLowerCase()] = headerText(name, parameter.isJson ? JSON.stringify(value) : simple(value))
}

/** Servers resolve `.` and `..` even where they are written in another way. */
function segmentFor(name: string, text: string): string {
  if (text === '') throw new ArgumentProblem(`Parameter '${name}' is part of the path and must not be empty.`)
  if (text.split(/[/\\]/).some(part => /^\.{1,2}$/.test(part)) || /%2e|%2f|%5c/i.test(text))
    throw new ArgumentProblem(
      `Parameter '${name}' is part of the path and must not contain '.' or '..' as a segment, or %2e, %2f, %5c.`,
    )
  return encodeURIComponent(text).replaceAll('%2C', ',')
}

// oxlint-disable-next-line no-control-regex -- these are what ends a header
const NO_HEADER = /[\0-\x08\x0A-\x1F\x7F]|[^\0-\xFF]/

function headerText(name: string, text: string): string {
  if (NO_HEADER.test(text))
    throw new ArgumentProblem(`Parameter '${name}' is a header and must not contain line breaks or other controls.`)
  return text
}

const cookieText = (cookies: Readonly<Record<string, string>>): string =>
  Object.entries(cookies)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('; ')

function urlOf(server: URL, path: string, { path: values, query }: Placed): URL {
  const filled = path.replaceAll(/\{([^{}]+)\}/g, (_, name: string) => values.get(name) ?? '')
  const base = server.pathname.replace(/\/+$/, '')
  const url = new URL(server.origin)
  url.pathname = base + filled.split(/[?#]/)[0]
  // What the path of the document itself has behind a question mark is part of the operation.
  const [, fixed = ''] = path.split('?')
  url.search = fixed.split('#')[0] ?? ''
  for (const [name, value] of query) url.searchParams.append(name, value)
  if (url.origin !== server.origin || !url.pathname.startsWith(base === '' ? '/' : `${base}/`))
    throw new ArgumentProblem('These arguments would leave the address of the API.')
  return url
}

/** The arguments of a call: an object, since the schema says so. */
export const argumentsOf = (input: unknown): Json => (isObject(input) ? input : {})
