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
  /(?:^|\/)(?:index|main|mod|lib|cli|setup|conftest|manage|__init__|__main__)\.[^/]+$|\.(?:config|d)\.[^/]+$/
const OFFERED = new Set(['function', 'class', 'interface', 'type', 'enum', 'constant', 'struct', 'trait', 'variable'])
const WELL_KNOWN = /^(?:main|init|default|setup|handler|_.*)$/

/** Find exports that are not used: names that stand in no other file, in code, comments or texts. */
export function deadExports(found: readonly FileMetrics[], isEntry: (file: string) => boolean): DeadExport[] {
  const files = new Map<string, number>()
  for (const { findings } of found) {
    for (const word of findings?.words ?? []) files.set(word, (files.get(word) ?? 0) + 1)
  }
  return found
    .filter(({ file, origin }) => origin === 'maintained' && !ENTRIES.test(file) && !isEntry(file))
    .flatMap(({ file, findings }) =>
      (findings?.definitions ?? [])
        .filter(({ exported, depth, kind, name }) => {
          const isOffered = exported && depth === 0 && OFFERED.has(kind) && !WELL_KNOWN.test(name)
          return isOffered && files.get(name) === 1
        })
        .map(({ name, kind, line, uses }) => ({ file, line, kind, name, used_inside: uses > 1 })),
    )
}
