import { adopt, after } from '../awaitable.ts'
import type { Awaitable, Call, Caller } from '../call.ts'
import type { Handle } from '../call.ts'
import type { ResourceContents } from '../define/content.ts'
import type { Context } from '../define/context.ts'
import type { Reading, Resource, Template } from '../define/define.ts'
import { RpcError, fault } from '../jsonrpc/errors.ts'
import { cut, isObject } from '../jsonrpc/message.ts'
import type { Result } from '../jsonrpc/message.ts'
import { asking } from './asking.ts'
import { completing } from './completing.ts'
import type { ComposedShelf } from '../catalog/composed-shelf.ts'
import type { Entry, TemplateEntry } from '../catalog/shelf.ts'
import { uriTemplate } from './uri-template.ts'

/** A resource of this server. */
export function readyResource(resource: Resource): Entry {
  const { kind: _, read: _read, cache: _cache, forApps, ...info } = resource
  if (!URL.canParse(resource.uri)) throw new TypeError(`Resource '${resource.name}': '${resource.uri}' is not a URI`)
  const run = readingBy(ctx => resource.read(ctx), resource)
  return { key: resource.uri, info, run, ...(forApps && { withoutApps: null }) }
}

/** A family of resources of this server; a malformed one throws an error that says how to fix it. */
export function readyTemplate(template: Template): TemplateEntry {
  const { kind: _, read: _read, complete = {}, scheme, cache: _cache, ...info } = template
  const pattern = uriTemplate(template.uriTemplate)
  for (const name of Object.keys(complete)) {
    if (!pattern.variables.includes(name)) {
      throw new TypeError(`Template '${template.name}': '${name}' is not a variable of ${template.uriTemplate}`)
    }
  }
  const completers = pattern.variables.map(name => [name, Object.hasOwn(complete, name) ? complete[name] : undefined])
  const ownScheme = scheme === undefined ? undefined : `${scheme.toLowerCase()}:`
  const read = (ctx: Context, uri: string): Awaitable<Reading | undefined> => {
    const variables = pattern.match(uri)
    return variables && template.read(variables, ctx)
  }
  return {
    key: template.uriTemplate,
    info,
    matches: uri =>
      pattern.match(uri) !== undefined || (ownScheme !== undefined && uri.toLowerCase().startsWith(ownScheme)),
    run: readingBy(read, template),
    complete: completing(new Map(completers as [string, undefined][])),
  }
}

type Reader = (ctx: Context, uri: string) => Awaitable<Reading | undefined>

const readingBy =
  (read: Reader, { mimeType, cache }: Pick<Resource, 'mimeType' | 'cache'>): Handle =>
  call => {
    const uri = uriOf(call)
    return asking(call, ctx =>
      after(adopt(read(ctx, uri)), value => {
        if (value === undefined) throw notFound(uri)
        const contents = toContents(uri, mimeType, value)
        return cache ? { contents, ttlMs: cache.ttlMs, cacheScope: cache.scope ?? 'private' } : { contents }
      }),
    )
  }

/** Where resources are found. */
export interface ResourceShelves {
  readonly resources: ComposedShelf<Entry>
  readonly templates: ComposedShelf<TemplateEntry>
}

/** The method `resources/read`. */
export const readResource =
  ({ resources, templates }: ResourceShelves): Handle =>
  call => {
    const uri = uriOf(call)
    return after(resources.find(uri, call.caller), entry =>
      entry
        ? entry.run(call)
        : after(templates.list(call.caller), families =>
            fromFamilies(
              families.filter(f => f.matches(uri)),
              call,
              uri,
            ),
          ),
    )
  }

/** The uri a request names. */
export function uriOf({ params }: Call): string {
  if (typeof params.uri === 'string') return params.uri
  throw fault('invalid-params', 'Invalid params: "uri" must be the URI of a resource')
}

/** Is there a resource, or a family of them, behind the URI? */
export const isKnown = ({ resources, templates }: ResourceShelves, uri: string, caller: Caller): Awaitable<boolean> =>
  after(
    resources.find(uri, caller),
    entry => entry !== undefined || after(templates.list(caller), families => families.some(f => f.matches(uri))),
  )

/** The refusal of an unknown URI. */
export function notFound(uri: string): Error {
  const shown = cut(uri, 200)
  return fault('resource-not-found', `Resource not found: ${shown}`, { uri: shown }, { subject: shown })
}

/** The first family that has it answers. */
function fromFamilies(families: readonly TemplateEntry[], call: Call, uri: string): Awaitable<Result> {
  const [first, ...rest] = families
  if (!first) throw notFound(uri)
  const next = (error: unknown): Awaitable<Result> => {
    if (rest.length > 0 && error instanceof RpcError && error.kind === 'resource-not-found')
      return fromFamilies(rest, call, uri)
    throw error
  }
  try {
    const result = adopt(first.run(call))
    return result instanceof Promise ? result.catch(next) : result
  } catch (error) {
    return next(error)
  }
}

function toContents(uri: string, mimeType: string | undefined, value: Reading): readonly ResourceContents[] {
  const labelled = { uri, ...(mimeType !== undefined && { mimeType }) }
  if (typeof value === 'string') return [{ ...labelled, text: value }]
  if (value instanceof Uint8Array) return [{ ...labelled, blob: Buffer.from(value).toString('base64') }]
  if (isObject(value)) return [value]
  return value
}
