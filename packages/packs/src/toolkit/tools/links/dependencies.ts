import { fault, tool } from '@causeway/engine'
import type { Context, Tool } from '@causeway/engine'
import { quote } from '../../../support/quote.ts'
import { fileData } from '../../../support/file-data.ts'
import { reversed } from '../../analysis/measure/components.ts'
import type { Edges } from '../../analysis/measure/components.ts'
import { incomplete, notRead } from '../../formats/not-read.ts'
import { byDirectory, cyclesIn } from '../../structure/graph.ts'
import { PAGING, PROJECT_PATH, TOOLCHAIN, paged } from '../analysis.ts'
import type { Bench } from '../analysis.ts'
import { networkOf } from './network.ts'
import type { Dependencies } from './network.ts'

const MOST_UNRESOLVED = 20

/** Shows which files use which. */
export const analyzeDependencies = (bench: Bench): Tool =>
  tool(
    {
      name: 'analyze_dependencies',
      task: 'optional',
      use: fileData,
      title: 'Analyze Dependencies',
      description:
        'Show which files or directories of a project import which: cycles, the most used, the most using, what could ' +
        'not be resolved; or all about one of them',
      readOnly: true,
      openWorld: false,
      input: {
        type: 'object',
        properties: {
          project_path: PROJECT_PATH,
          toolchain: TOOLCHAIN,
          level: { type: 'string', enum: ['file', 'directory'], default: 'file', description: 'What to look at' },
          show: {
            type: 'string',
            enum: ['overview', 'edges', 'unresolved'],
            default: 'overview',
            description: 'edges and unresolved list all of them, page by page',
          },
          of: { type: 'string', minLength: 1, description: 'One file or directory: what it uses, and what uses it' },
          ...PAGING,
          limit: { ...PAGING.limit, default: 10 },
        },
        required: ['project_path'],
        additionalProperties: false,
      },
    },
    async ({ level, of, show, limit, offset, ...subject }, ctx) => {
      const { found, of: only } = await asked(bench, subject, ctx)
      const one = of ?? only
      const page = { limit, offset }
      if (one === undefined && show !== 'overview') return listed(found, show, page)
      return one === undefined ? overall(found, level, page) : about(found, one, level, page)
    },
  )

interface Asked {
  readonly found: Dependencies
  /** The file that was asked about. */
  readonly of?: string
}

type Subject = Parameters<typeof networkOf>[1]

/** The dependencies of a file are among those of its root. */
async function asked(bench: Bench, subject: Subject, ctx: Context): Promise<Asked> {
  const found = await networkOf(bench, subject, ctx)
  const [only] = found.nodes
  if (!found.isFile || only === undefined) return { found }
  return { found: await networkOf(bench, { ...subject, project_path: found.root }, ctx), of: only }
}

interface Page {
  readonly limit: number
  readonly offset: number
}

type Level = 'file' | 'directory'

function overall(found: Dependencies, level: Level, { limit, offset }: Page): object {
  const edges = level === 'file' ? found.edges : byDirectory(found.edges)
  const running = level === 'file' ? found.running : byDirectory(found.running)
  const depending = level === 'file' ? found.depending : byDirectory(found.depending)
  const { items, ...page } = paged(cyclesIn(depending, running), { limit, offset })
  const count = [...edges.values()].reduce((sum, to) => sum + to.size, 0)
  const gaps = incomplete(found)
  const isSilent = page.total === 0 && gaps !== undefined
  return {
    summary: {
      nodes: edges.size,
      edges: count,
      // That there is none can only be said of what was read.
      ...(!isSilent && { cycles: page.total }),
      ...countsOf(found),
    },
    ...(isSilent && { note: `No cycle among the ${found.nodes.length} files that were read. ${gaps}` }),
    cycles: items,
    ...page,
    most_used: most(reversed(edges), limit),
    most_using: most(edges, limit),
    ...unresolvedOf(found.unresolved),
    ...notRead(found),
  }
}

/** Every edge, or every link that leads nowhere. */
function listed(found: Dependencies, show: 'edges' | 'unresolved', page: Page): object {
  const edges = [...found.edges].flatMap(([from, to]) =>
    [...to].map(one => Object.assign({ from, to: one }, kindOf(found, from, one))),
  )
  const { items, ...rest } = paged<object>(show === 'edges' ? edges : found.unresolved, page)
  return { ...rest, [show]: items, ...notRead(found) }
}

function kindOf({ depending, running }: Dependencies, from: string, to: string): { only?: 'types' | 'declared' } {
  if (running.get(from)?.has(to)) return {}
  return { only: depending.get(from)?.has(to) ? 'types' : 'declared' }
}

const countsOf = ({ unresolved, outside, leaving }: Dependencies): object => ({
  packages: new Set([...outside.values()].flat()).size,
  unresolved: unresolved.length,
  ...(leaving > 0 && { leading_out: leaving }),
})

const unresolvedOf = (all: Dependencies['unresolved']): object =>
  all.length === 0 ? {} : { unresolved: all.slice(0, MOST_UNRESOLVED) }

const most = (edges: Edges<string>, limit: number): { node: string; count: number }[] =>
  [...edges]
    .map(([node, to]) => ({ node, count: to.size }))
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count || (a.node < b.node ? -1 : 1))
    .slice(0, limit)

function about(found: Dependencies, name: string, level: Level, { limit, offset }: Page): object {
  const bare = name.replace(/^\.\//, '').replace(/(?<=.)\/$/, '')
  const named = (edges: Edges<string>): string | undefined => [bare, found.prefix + bare].find(one => edges.has(one))
  const folders = byDirectory(found.edges)
  const edges = level === 'file' && named(found.edges) !== undefined ? found.edges : folders
  const node = named(edges)
  if (node === undefined)
    throw fault('invalid-arguments', `Parameter 'of': ${quote(name)} is not among the ${found.nodes.length} found`)
  const back = reversed(edges)
  const list = (from: Edges<string>): object => {
    const { items, ...page } = paged([...(from.get(node) ?? [])].sort(), { limit, offset })
    return { ...page, nodes: items }
  }
  const isInside = (file: string): boolean => file === node || (edges === folders && file.startsWith(`${node}/`))
  const packages = [...new Set([...found.outside].flatMap(([file, names]) => (isInside(file) ? names : [])))].sort()
  return {
    node,
    uses: list(edges),
    used_by: list(back),
    ...(packages.length > 0 && { packages: packages.slice(0, limit) }),
    ...unresolvedOf(found.unresolved.filter(({ file }) => isInside(file))),
    ...notRead(found),
  }
}
