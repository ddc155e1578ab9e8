import { isObject } from '../support/is-object.ts'
import { parts } from './parts.ts'
import type { Json } from './parts.ts'

/** A document: the schema itself, or a part of it that has an `$id` of its own. */
interface Page {
  readonly uri: string
  readonly root: Json
  readonly anchors: Set<unknown>
}
interface Ref {
  readonly at: string
  readonly to: string
  readonly from: Page
}

const HERE = 'schema://here/'
const REFS = ['$ref', '$dynamicRef']

/** References that lead out of a well-formed schema or to nothing in it, each with its place: none is ever fetched. */
export function lostRefs(schema: unknown): string[] {
  if (!isObject(schema)) return []
  const pages = new Map<string, Page>()
  const refs: Ref[] = []
  const read = (part: unknown, at: string, outer: Page): void => {
    if (!isObject(part)) return
    const page = pageOf(part, outer)
    if (!pages.has(page.uri)) pages.set(page.uri, page)
    page.anchors.add(part.$anchor).add(part.$dynamicAnchor)
    for (const key of REFS) {
      const to = part[key]
      if (typeof to === 'string') refs.push({ at: `${at}/${key}`, to, from: page })
    }
    for (const [way, inner] of parts(part)) read(inner, `${at}/${way}`, page)
  }
  read(schema, '#', { uri: HERE, root: schema, anchors: new Set() })
  return refs.flatMap(ref => whyLost(ref, pages) ?? [])
}

function pageOf(part: Json, outer: Page): Page {
  if (typeof part.$id !== 'string') return outer
  const [uri] = absolute(part.$id, outer.uri)
  return uri === outer.uri ? outer : { uri, root: part, anchors: new Set() }
}

function whyLost({ at, to, from }: Ref, pages: ReadonlyMap<string, Page>): string | undefined {
  const [uri, name] = absolute(to, from.uri)
  const page = pages.get(uri)
  if (!page) {
    return `${at} '${to}' is in another document, and other documents are never fetched: copy what it names under "$defs" and refer to that as "#/$defs/…"`
  }
  return leads(page, name) ? undefined : `${at} '${to}' points to nothing in this schema`
}

/** A reference as document and place in it. */
function absolute(to: string, base: string): [uri: string, name: string | undefined] {
  const [uri = '', ...name] = (URL.canParse(to, base) ? new URL(to, base).href : to).split('#')
  return [uri, decoded(name.join('#'))]
}

function decoded(name: string): string | undefined {
  try {
    return decodeURIComponent(name)
  } catch {
    return undefined
  }
}

function leads({ root, anchors }: Page, name: string | undefined): boolean {
  if (name === undefined || name === '') return name === ''
  if (!name.startsWith('/')) return anchors.has(name)
  let value: unknown = root
  for (const part of name.slice(1).split('/')) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~')
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return false
    value = (value as Json)[key]
  }
  return true
}
