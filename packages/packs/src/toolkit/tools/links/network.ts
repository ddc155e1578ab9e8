import type { Context } from '@causeway/engine'
import type { FileMetrics } from '../../analysis/measure/metrics.ts'
import type { Edges } from '../../analysis/measure/components.ts'
import type { Network, Unresolved } from '../../linking/link.ts'
import { measure } from '../analysis.ts'
import type { Bench, Measured, Subject } from '../analysis.ts'

/** Which file uses which, by the names that everybody knows them by. */
export interface Dependencies extends Omit<Measured, 'files'> {
  readonly nodes: readonly string[]
  readonly edges: Edges<string>
  /** Without those that only say what is a part of a module. */
  readonly depending: Edges<string>
  /** Without those that only take types, too. */
  readonly running: Edges<string>
  readonly unresolved: readonly Unresolved[]
  /** What others made, by file. */
  readonly outside: ReadonlyMap<string, readonly string[]>
  /** How many links lead to files of the root that are not among those asked about. */
  readonly leaving: number
  /** By file: those whose exports can all be had from it. */
  readonly gives: ReadonlyMap<string, readonly string[]>
  /** Files that packages offer to others. */
  readonly offered: ReadonlySet<string>
  /** Files that could not be read. */
  readonly faulty: readonly string[]
}

/** Follow the links of the files of a project. */
export async function networkOf(bench: Bench, subject: Subject, ctx: Context): Promise<Dependencies> {
  const { files, ...measured } = await measure(bench, { ...subject, ask: 'links' }, ctx)
  return { ...measured, ...(await linked(bench, { files, ...measured }, ctx)) }
}

type Links = Omit<Dependencies, keyof Omit<Measured, 'files'>>

/** Follow the links that were found. */
export async function linked(bench: Bench, { files, prefix, root, below }: Measured, ctx: Context): Promise<Links> {
  const inRoot = below === '' ? '' : `${below}/`
  const linking = files.map(({ file, findings }) => ({
    file: inRoot + file.slice(prefix.length),
    links: findings?.links ?? { links: [] },
  }))
  const network = await bench.pool.link({ root, files: linking }, { signal: ctx.signal, client: ctx.clientKey })
  const shown = (file: string): string => (file.startsWith(inRoot) ? prefix + file.slice(inRoot.length) : file)
  const known = new Set(files.map(({ file }) => file))
  return {
    nodes: [...known],
    edges: edgesIn(network, known, shown, () => true),
    depending: edgesIn(network, known, shown, ({ how }) => how !== 'declares'),
    running: edgesIn(network, known, shown, ({ how }) => how === undefined),
    unresolved: network.unresolved.map(one => ({ ...one, file: shown(one.file) })),
    outside: new Map(Object.entries(network.outside).map(([file, names]) => [shown(file), names])),
    leaving: network.edges.filter(({ to }) => !to.startsWith(inRoot)).length,
    gives: new Map(Object.entries(network.gives).map(([file, given]) => [shown(file), given.map(shown)])),
    offered: new Set(network.offered.filter(file => file.startsWith(inRoot)).map(shown)),
    faulty: files.filter(isFaulty).map(({ file }) => file),
  }
}

const isFaulty = ({ findings, fault }: FileMetrics): boolean => fault !== undefined && findings === undefined

function edgesIn(
  { edges }: Network,
  known: ReadonlySet<string>,
  shown: (file: string) => string,
  isWanted: (edge: Network['edges'][number]) => boolean,
): Edges<string> {
  const found = new Map<string, Set<string>>([...known].map(file => [file, new Set()]))
  for (const edge of edges) {
    const to = shown(edge.to)
    if (isWanted(edge) && known.has(to)) found.get(shown(edge.from))?.add(to)
  }
  return found
}
