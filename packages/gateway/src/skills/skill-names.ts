import { isWithin } from '@causeway/engine/internal'

/** Where something of a server is: which server has it, and its URI there. */
export interface OwnUri {
  readonly server: string
  readonly uri: string
}

interface Place {
  readonly server: string
  /** The folder of a skill that is in no other skill of its server, as the server names it. */
  readonly own: string
  shown: string
}

/** What the gateway itself serves; no server can have that name. */
const OURS = ''
const LONGEST_URI = 4096
// Skills are no deeper; with the name of a server in front, by one.
const DEEPEST = 65
const MOST_ROUNDS = 5

/**
 * The URIs that skills of servers have here. They stay as they are, unless the folders of two servers are the same, or one
 * is in the other: then each has the name of its server in front, so that no server's skill is taken for another's. What
 * is our own keeps its URI.
 */
export class SkillNames {
  readonly #roots = new Map<string, readonly string[]>()
  #places: readonly Place[] = []
  #byShown = new Map<string, Place>()
  #byOwn = new Map<string, Place>()

  /** These folders are our own. */
  reserve(roots: readonly string[]): void {
    this.set(OURS, roots)
  }

  /** The folders of a server's skills; true if URIs of others may have changed with them. */
  set(server: string, roots: readonly string[]): boolean {
    const top = outermost(roots)
    const before = this.#roots.get(server) ?? []
    if (top.length === before.length && top.every((root, i) => root === before[i])) return false
    this.#roots.set(server, top)
    this.#name()
    return true
  }

  /** True if there was something of it. */
  delete(server: string): boolean {
    const had = (this.#roots.get(server)?.length ?? 0) > 0
    this.#roots.delete(server)
    if (had) this.#name()
    return had
  }

  /** A server's URI, as it is shown here. */
  shown(server: string, uri: string): string {
    const place = lookUp(uri, folder => this.#byOwn.get(keyOf(server, folder)))
    return place ? place.shown + uri.slice(place.own.length) : uri
  }

  /** The skill's server and its URI there, if a URI is in the folder of one. */
  find(uri: string): OwnUri | undefined {
    const place = lookUp(uri, folder => this.#byShown.get(folder))
    return place && { server: place.server, uri: place.own + uri.slice(place.shown.length) }
  }

  /** What a URI that several servers have is called here; empty if at most one has it. */
  choices(uri: string): readonly string[] {
    if (this.find(uri)) return []
    return this.#places
      .filter(({ own, shown }) => own !== shown && isWithin(uri, own))
      .map(({ own, shown }) => shown + uri.slice(own.length))
  }

  #name(): void {
    this.#places = [...this.#roots].flatMap(([server, roots]) => roots.map(own => ({ server, own, shown: own })))
    // One that got the name of its server may be in the way of another now.
    for (let round = 0; round < MOST_ROUNDS; round++) {
      const plain = overlapping(this.#places).filter(({ server, own, shown }) => server !== OURS && own === shown)
      if (plain.length === 0) break
      for (const place of plain) place.shown = qualified(place.own, place.server)
    }
    this.#byShown = new Map(this.#places.map(place => [place.shown, place]))
    this.#byOwn = new Map(this.#places.map(place => [keyOf(place.server, place.own), place]))
  }
}

const keyOf = (server: string, folder: string): string => `${server}\n${folder}`

/** A URI with the name of a server in front. */
export const qualified = (uri: string, server: string): string =>
  uri.replace('://', () => `://${encodeURIComponent(server)}/`)

/** A URI without the name of that server in front; undefined if it has not. */
export function unqualified(uri: string, server: string): string | undefined {
  const label = `://${encodeURIComponent(server)}/`
  const at = uri.indexOf('://')
  return at > 0 && uri.startsWith(label, at) ? `${uri.slice(0, at)}://${uri.slice(at + label.length)}` : undefined
}

/** The first hit among a URI and the folders around it, the outermost last. */
function lookUp<T>(uri: string, find: (folder: string) => T | undefined): T | undefined {
  if (uri.length > LONGEST_URI) return undefined
  const scheme = uri.indexOf('://') + 3
  for (let end = uri.length, i = 0; end > scheme && i < DEEPEST; end = uri.lastIndexOf('/', end - 1), i++) {
    const found = find(uri.slice(0, end))
    if (found) return found
  }
  return undefined
}

// Folders stand before what is in them, and nothing else in between.
const sortKey = (root: string): string => root.replaceAll('/', '\0')
const inOrder = <T>(items: readonly T[], rootOf: (item: T) => string): T[] =>
  items
    .map(item => [sortKey(rootOf(item)), item] as const)
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([, item]) => item)

/** Folders that are in none of the others. */
function outermost(roots: readonly string[]): readonly string[] {
  const top: string[] = []
  for (const root of inOrder(roots, own => own)) {
    const last = top.at(-1)
    if (last === undefined || !isWithin(root, last)) top.push(root)
  }
  return top
}

/** Those that are the same as one of another server, in one, or around one. */
function overlapping(places: readonly Place[]): readonly Place[] {
  const found = new Set<Place>()
  const around: Place[] = []
  for (const place of inOrder(places, ({ shown }) => shown)) {
    for (let above = around.at(-1); above && !isWithin(place.shown, above.shown); above = around.at(-1)) around.pop()
    for (const above of around) {
      if (above.server === place.server) continue
      found.add(above)
      found.add(place)
    }
    around.push(place)
  }
  return [...found]
}
