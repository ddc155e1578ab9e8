import { tool } from '@causeway/engine'
import type { Context, Tool } from '@causeway/engine'
import { reversed } from '../analysis/measure/components.ts'
import type { Edges } from '../analysis/measure/components.ts'
import { deadExports } from '../structure/dead-exports.ts'
import { findDuplicates } from '../structure/duplicates.ts'
import { byDirectory, cyclesIn } from '../structure/graph.ts'
import { knownFiles, resolveImport } from '../structure/resolve.ts'
import { anyGlobAbove } from '../../support/patterns/glob.ts'
import { PAGING, PROJECT_PATH, TOOLCHAIN, measure, paged } from './analysis.ts'
import type { Bench, Measured, Subject } from './analysis.ts'
import { readBeside } from './manifest.ts'
import { notRead } from '../formats/not-read.ts'
import { fileData } from '../../support/file-data.ts'

const SUBJECT = { project_path: PROJECT_PATH, toolchain: TOOLCHAIN } as const

/** Finds copied code. */
export const findDuplicateCode = (bench: Bench): Tool =>
  tool(
    {
      name: 'find_duplicates',
      task: 'optional',
      use: fileData,
      title: 'Find Duplicates',
      description: 'Find copied code: runs of equal tokens, comments and layout aside, the most worth removing first',
      readOnly: true,
      openWorld: false,
      input: {
        type: 'object',
        properties: {
          ...SUBJECT,
          min_tokens: { type: 'integer', minimum: 20, maximum: 10_000, default: 100, description: 'Shortest run' },
          include_tests: { type: 'boolean', default: false, description: 'Look at tests and generated files too' },
          ...PAGING,
          limit: { ...PAGING.limit, default: 20 },
        },
        required: ['project_path'],
        additionalProperties: false,
      },
    },
    async ({ min_tokens, include_tests, limit, offset, ...subject }, ctx) => {
      const found = await measure(bench, { ...subject, ask: 'tokens' }, ctx)
      const kept = found.files.filter(({ origin }) => include_tests || origin === 'maintained')
      const tokens = kept.flatMap(({ file, findings }) => (findings?.tokens ? [{ file, ...findings.tokens }] : []))
      const duplicates = findDuplicates(tokens, min_tokens)
      const all = tokens.reduce((sum, { hashes }) => sum + hashes.length, 0)
      const copied = duplicates.reduce((sum, d) => sum + d.tokens * (d.count - 1), 0)
      const { items, ...page } = paged(duplicates, { limit, offset })
      const share = all === 0 ? 0 : Math.round((1000 * copied) / all) / 10
      return {
        summary: { files_read: kept.length, duplicated_percent: share },
        ...page,
        duplicates: items,
        ...notRead(found),
      }
    },
  )

/** Finds exports that are not used. */
export const findDeadExports = (bench: Bench): Tool =>
  tool(
    {
      name: 'find_dead_exports',
      task: 'optional',
      use: fileData,
      title: 'Find Dead Exports',
      description:
        'Find what is exported but named in no other file of the project. By name, so what is used through reflection or from outside shows up too',
      readOnly: true,
      openWorld: false,
      input: {
        type: 'object',
        properties: {
          ...SUBJECT,
          entries: {
            type: 'array',
            items: { type: 'string', minLength: 1, maxLength: 1000 },
            maxItems: 100,
            description:
              'Files whose exports are meant for others, such as src/api/**; index and main files always are',
          },
          ...PAGING,
        },
        required: ['project_path'],
        additionalProperties: false,
      },
    },
    async ({ entries = [], limit, offset, ...subject }, ctx) => {
      const found = await measure(bench, { ...subject, ask: 'words' }, ctx)
      const isNamed = anyGlobAbove(entries)
      const manifest = await readBeside(bench.jail, subject.project_path, 'package.json')
      const bare = (file: string): string => file.slice(found.prefix.length)
      const isEntry = (file: string): boolean => isNamed(bare(file)) || manifest.includes(bare(file))
      const { items, ...page } = paged(deadExports(found.files, isEntry), { limit, offset })
      return { summary: { files_read: found.files.length }, ...page, exports: items, ...notRead(found) }
    },
  )

/** Shows which files use which. */
export const analyzeDependencies = (bench: Bench): Tool =>
  tool(
    {
      name: 'analyze_dependencies',
      task: 'optional',
      use: fileData,
      title: 'Analyze Dependencies',
      description:
        'Show which files or directories of a project import which: cycles, the most used, the most using; or all about one of them',
      readOnly: true,
      openWorld: false,
      input: {
        type: 'object',
        properties: {
          ...SUBJECT,
          level: { type: 'string', enum: ['file', 'directory'], default: 'file', description: 'What to look at' },
          of: { type: 'string', minLength: 1, description: 'One file or directory: what it uses, and what uses it' },
          ...PAGING,
          limit: { ...PAGING.limit, default: 10 },
        },
        required: ['project_path'],
        additionalProperties: false,
      },
    },
    async ({ level, of, limit, offset, ...subject }, ctx) => {
      const { edges: files, ...found } = await edgesOf(bench, subject, ctx)
      const edges = level === 'file' ? files : byDirectory(files)
      const back = reversed(edges)
      if (of !== undefined)
        return { ...about(nodeOf(of, found.prefix, edges), { edges, back, limit, offset }), ...notRead(found) }
      const { items, ...page } = paged(cyclesIn(edges), { limit, offset })
      const count = [...edges.values()].reduce((sum, to) => sum + to.size, 0)
      return {
        summary: { nodes: edges.size, edges: count, cycles: page.total },
        cycles: items,
        ...page,
        most_used: most(back, limit),
        most_using: most(edges, limit),
        ...notRead(found),
      }
    },
  )

/** A node as it was asked for: from the root, or from the project. */
function nodeOf(asked: string, prefix: string, edges: Edges<string>): string {
  const bare = asked.replace(/^\.\//, '').replace(/(?<=.)\/$/, '')
  return edges.has(bare) ? bare : prefix + bare
}

/** Which file imports which, by the names that everybody knows them by. */
export async function edgesOf(
  bench: Bench,
  subject: Subject,
  ctx: Context,
): Promise<Omit<Measured, 'files'> & { readonly edges: Edges<string> }> {
  const { files, prefix, unread } = await measure(bench, { ...subject, ask: 'symbols' }, ctx)
  const [, goModule] = /^module\s+(\S+)/m.exec(await readBeside(bench.jail, subject.project_path, 'go.mod')) ?? []
  const bare = (file: string): string => file.slice(prefix.length)
  const known = knownFiles(
    files.map(({ file }) => bare(file)),
    goModule,
  )
  const edges = new Map(
    files.map(({ file, findings }) => {
      const used = (findings?.imports ?? []).flatMap(written => resolveImport(bare(file), written, known))
      return [file, new Set(used.map(path => prefix + path).filter(path => path !== file))]
    }),
  )
  return { edges, prefix, unread }
}

const most = (edges: Edges<string>, limit: number): { node: string; count: number }[] =>
  [...edges]
    .map(([node, to]) => ({ node, count: to.size }))
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count || (a.node < b.node ? -1 : 1))
    .slice(0, limit)

interface Neighbours {
  readonly edges: Edges<string>
  readonly back: Edges<string>
  readonly limit: number
  readonly offset: number
}

function about(node: string, { edges, back, limit, offset }: Neighbours): object {
  if (!edges.has(node) && !back.has(node))
    throw new Error(`'${node.slice(0, 100)}' is not among the ${edges.size} found`)
  const list = (from: Edges<string>): object => {
    const { items, ...page } = paged([...(from.get(node) ?? [])].sort(), { limit, offset })
    return { ...page, nodes: items }
  }
  return { node, uses: list(edges), used_by: list(back) }
}
