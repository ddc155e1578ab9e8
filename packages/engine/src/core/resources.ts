import { adopt, after } from '../awaitable.ts'
import type { Awaitable, Call, Handle } from '../call.ts'
import type { ResourceContents } from '../content.ts'
import type { Context } from '../context.ts'
import type { Reading, Resource, Template } from '../define.ts'
import { fault } from '../jsonrpc/errors.ts'
import { isObject } from '../jsonrpc/message.ts'
import type { Result } from '../jsonrpc/message.ts'
import { asking } from './asking.ts'
import type { Entry, MemoryShelf } from './shelf.ts'
import { uriTemplate } from './uri-template.ts'
import type { UriTemplate } from './uri-template.ts'

/** A resource made ready. */
export interface ResourceEntry extends Entry {
  readonly feature: Resource
}

/** A resource template made ready. */
export interface TemplateEntry extends Entry {
  readonly feature: Template
  readonly pattern: UriTemplate
}

/** Make a resource ready. */
export function readyResource(feature: Resource): ResourceEntry {
  const { kind: _, read: _read, ...info } = feature
  if (!URL.canParse(feature.uri)) throw new TypeError(`Resource '${feature.name}': '${feature.uri}' is not a URI`)
  return { key: feature.uri, info, feature }
}

/** Make a template ready; a malformed one throws with what to mend. */
export function readyTemplate(feature: Template): TemplateEntry {
  const { kind: _, read: _read, complete, ...info } = feature
  const pattern = uriTemplate(feature.uriTemplate)
  for (const name of Object.keys(complete ?? {})) {
    if (!pattern.variables.includes(name)) {
      throw new TypeError(`Template '${feature.name}': '${name}' is no variable of ${feature.uriTemplate}`)
    }
  }
  return { key: feature.uriTemplate, info, feature, pattern }
}

/** Where resources stand. */
export interface ResourceShelves {
  readonly resources: MemoryShelf<ResourceEntry>
  readonly templates: MemoryShelf<TemplateEntry>
}

/** The method `resources/read`. */
export const readResource =
  (shelves: ResourceShelves): Handle =>
  call => {
    const uri = uriOf(call)
    return asking(call, ctx =>
      after(reading(shelves, uri, ctx), read => {
        if (read === undefined) throw notFound(uri)
        return { contents: toContents(uri, read.mimeType, read.value) } satisfies Result
      }),
    )
  }

/** The uri a request names. */
export function uriOf({ params }: Call): string {
  if (typeof params.uri === 'string') return params.uri
  throw fault('invalid-params', 'Invalid params: "uri" must be the URI of a resource')
}

/** Is there a resource, or a family of them, behind the URI? */
export const isKnown = ({ resources, templates }: ResourceShelves, uri: string): boolean =>
  resources.has(uri) || templates.list().some(({ pattern }) => pattern.match(uri) !== undefined)

/** The refusal of a URI nobody knows. */
export const notFound = (uri: string): Error =>
  fault('resource-not-found', `Resource not found: ${uri.slice(0, 200)}`, { uri })

interface Read {
  readonly mimeType: string | undefined
  readonly value: Reading
}

function reading({ resources, templates }: ResourceShelves, uri: string, ctx: Context): Awaitable<Read | undefined> {
  const fixed = resources.find(uri)?.feature
  if (fixed) return after(adopt(fixed.read(ctx)), value => ({ mimeType: fixed.mimeType, value }))
  return fromTemplates(templates.list(), uri, ctx)
}

/** The first template that has it answers. */
async function fromTemplates(
  templates: readonly TemplateEntry[],
  uri: string,
  ctx: Context,
): Promise<Read | undefined> {
  for (const { feature, pattern } of templates) {
    const variables = pattern.match(uri)
    const value = variables && (await feature.read(variables, ctx))
    if (value !== undefined) return { mimeType: feature.mimeType, value }
  }
  return undefined
}

function toContents(uri: string, mimeType: string | undefined, value: Reading): readonly ResourceContents[] {
  const labelled = { uri, ...(mimeType !== undefined && { mimeType }) }
  if (typeof value === 'string') return [{ ...labelled, text: value }]
  if (value instanceof Uint8Array) return [{ ...labelled, blob: Buffer.from(value).toString('base64') }]
  if (isObject(value)) return [value]
  return value
}
