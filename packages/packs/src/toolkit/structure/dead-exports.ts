import { languageOf } from '../analysis/parse/grammar.ts'
import type { Definition } from '../analysis/symbols/definition.ts'
import type { FileMetrics } from '../analysis/measure/metrics.ts'

/** Something that is exported, and that no other file names. */
export interface DeadExport {
  readonly file: string
  readonly line: number
  readonly kind: string
  readonly name: string
  /** Its own file uses it, so only the export is unneeded. */
  readonly used_inside: boolean
}

// Called by something else than the code that is here.
const ENTRIES =
  /(?:^|\/)(?:index|main|mod|lib|cli|setup|conf|conftest|manage|noxfile|fabfile|wsgi|asgi|gulpfile|Gruntfile|__init__|__main__)\.[^/]+$|\.(?:config|d|stories|story)\.[^/]+$|(?:^|\/)(?:migrations|alembic)\//
// What frameworks find by its place.
const ROUTES =
  /(?:^|\/)(?:app|pages|routes)\/(?:.*\/)?(?:\+[\w.]+|page|layout|route|loading|error|not-found|template|default|middleware|_[\w]+)\.[jt]sx?$/
const OFFERED = new Set(['function', 'class', 'interface', 'type', 'enum', 'constant', 'struct', 'trait', 'variable'])
const WELL_KNOWN = /^(?:main|init|default|setup|handler|_.*)$/
const GO_INSIDE = /(?:^|\/)internal\//

/** Find exports that are not used: names that stand in no other file, comments left out. All that an entry exports is for others. */
export function deadExports(found: readonly FileMetrics[], isEntry: (file: string) => boolean): DeadExport[] {
  const files = new Map<string, number>()
  for (const { findings } of found) {
    for (const word of findings?.words ?? []) files.set(word, (files.get(word) ?? 0) + 1)
  }
  return found
    .filter(one => isCandidate(one) && !isEntry(one.file))
    .flatMap(({ file, findings }) => {
      const registered = new Set(findings?.registered)
      return (findings?.definitions ?? [])
        .filter(one => isOffered(one) && files.get(one.name) === 1 && !registered.has(one.at))
        .map(({ name, kind, line, uses }) => ({ file, line, kind, name, used_inside: uses > 1 }))
    })
    .sort((a, b) => Number(a.used_inside) - Number(b.used_inside))
}

const isOffered = ({ exported, depth, kind, name }: Definition): boolean =>
  exported && depth === 0 && OFFERED.has(kind) && !WELL_KNOWN.test(name)

function isCandidate({ file, origin, findings }: FileMetrics): boolean {
  if (origin !== 'maintained' || ENTRIES.test(file) || ROUTES.test(file) || findings?.runs) return false
  const language = languageOf(file)
  // What a component exports its users give it; a package of Go is for all who can import it.
  if (language === 'component') return false
  return language !== 'go' || GO_INSIDE.test(file) || (findings?.links?.namespaces ?? []).includes('main')
}

/** Files that begin with those others may use, and all that these give on. */
export function openFiles(entries: Iterable<string>, gives: ReadonlyMap<string, readonly string[]>): Set<string> {
  const open = new Set(entries)
  for (const file of open) for (const next of gives.get(file) ?? []) open.add(next)
  return open
}

/** Is a file one where others begin, by its name? */
export const isIndex = (file: string): boolean => /(?:^|\/)(?:index\.[^/]+|__init__\.pyi?)$/.test(file)
