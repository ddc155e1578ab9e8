import type { Entry, Info, TemplateEntry } from '@causeway/engine'

import { isViewUri, viewServer } from './view-uris.ts'

// Schemes that belong to no server.
const COMMON: ReadonlySet<string> = new Set(['file:', 'http:', 'https:', 'data:', 'urn:'])

/** The scheme of a URI, or of a template that has one before its first variable. */
export const schemeOf = (uri: string): string | undefined => /^[a-z][a-z\d+.-]*:/i.exec(uri)?.[0].toLowerCase()

/** A server that has resources. */
interface UriHolder {
  readonly name: string
  readonly resources: { readonly entries: readonly Entry[] }
  readonly templates: { readonly entries: readonly TemplateEntry[] }
}

/** What a server may have. */
export interface UriRules {
  /** Is it a URI or template that a server may have? */
  mayBeOffered(uri: string): boolean
  /** May a template of this server answer for a URI? */
  mayAnswer(uri: string, server: string): boolean
  /** Does a URI that no server lists belong to this one? */
  isUnlistedOf(uri: string, server: string): boolean
}

/** Which server a URI belongs to. URIs are never rewritten, so that servers could take them from each other. */
export class UriOwnership<T extends UriHolder> implements UriRules {
  readonly #servers: () => Iterable<T>
  /** Schemes of our own resources, which no server may answer for. */
  #own: ReadonlySet<string> = new Set(['result:'])

  constructor(servers: () => Iterable<T>) {
    this.#servers = servers
  }

  /** These resources and templates are our own. */
  reserve(infos: readonly Info[]): void {
    const schemes = infos.map(({ uri, uriTemplate }) => schemeOf(String(uri ?? uriTemplate)) ?? '')
    // Skills of others are told from our own by their folders.
    const reserved = schemes.filter(scheme => scheme !== '' && scheme !== 'skill:' && !COMMON.has(scheme))
    this.#own = new Set([...this.#own, ...reserved])
  }

  mayBeOffered(uri: string): boolean {
    // Views have URIs of their own here.
    return isViewUri(uri) || !this.#own.has(schemeOf(uri) ?? '')
  }

  /** Not if a server before it has others of the same scheme. */
  mayAnswer(uri: string, server: string): boolean {
    const viewOf = viewServer(uri)
    if (viewOf !== undefined) return viewOf === server
    const scheme = schemeOf(uri)
    if (scheme === undefined || this.#own.has(scheme)) return false
    if (COMMON.has(scheme)) return true
    for (const upstream of this.#servers()) {
      if (upstream.name === server) return true
      if (hasScheme(upstream, scheme)) return false
    }
    return true
  }

  /** One that no template covers is that of the only server that has others of its scheme. */
  isUnlistedOf(uri: string, server: string): boolean {
    const [owner, ...others] = this.ownersOf(uri)
    return owner?.name === server && others.length === 0 && !this.#isCovered(uri)
  }

  ownersOf(uri: string): readonly T[] {
    if (!this.mayBeOffered(uri)) return []
    const all = [...this.#servers()]
    const exact = all.find(({ resources }) => resources.entries.some(({ key }) => key === uri))
    if (exact) return [exact]
    const family = all.find(({ templates }) => templates.entries.some(one => one.matches(uri)))
    if (family) return [family]
    const viewOf = viewServer(uri)
    if (viewOf !== undefined) return all.filter(({ name }) => name === viewOf)
    const scheme = schemeOf(uri)
    if (scheme === undefined || COMMON.has(scheme)) return []
    return all.filter(upstream => hasScheme(upstream, scheme))
  }

  #isCovered(uri: string): boolean {
    return [...this.#servers()].some(
      ({ resources, templates }) =>
        resources.entries.some(({ key }) => key === uri) || templates.entries.some(one => one.matches(uri)),
    )
  }
}

const hasScheme = ({ resources }: UriHolder, scheme: string): boolean =>
  resources.entries.some(({ key }) => key.slice(0, scheme.length).toLowerCase() === scheme)
