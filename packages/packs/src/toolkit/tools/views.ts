import { FOR_META, tool } from '@causeway/engine'
import type { Tool } from '@causeway/engine'
import { report } from '../analysis/report.ts'
import { thresholds } from '../analysis/thresholds.ts'
import type { FunctionMetrics } from '../analysis/measure/metrics.ts'
import { churn } from '../churn/churn.ts'
import type { Commit } from '../churn/history.ts'
import { byDirectory, cyclesIn } from '../structure/graph.ts'
import { fileData } from '../../support/file-data.ts'
import { PERIOD_DAYS, PROJECT_PATH, TOOLCHAIN, changes, historyOf, measure } from './analysis.ts'
import type { Bench } from './analysis.ts'
import { joined, maintained } from './hotspots.ts'
import { notRead } from '../formats/not-read.ts'
import { networkOf } from './links/network.ts'

const MOST_FILES = 300
const MOST_NODES = 160
const MOST_EDGES = 4000
const MOST_BINS = 60
const MOST_BARS = 120
const DAY_S = 24 * 60 * 60

const SUBJECT = { project_path: PROJECT_PATH, toolchain: TOOLCHAIN } as const
const COMMON = { use: fileData, readOnly: true, openWorld: false, visibility: ['app'] } as const

/** What the views of this pack ask for, which is more than a model would want to read. */
export const viewTools = (bench: Bench): Tool[] => [
  viewHotspots(bench),
  viewComplexity(bench),
  viewChurn(bench),
  viewDependencies(bench),
]

const viewHotspots = (bench: Bench): Tool =>
  tool(
    {
      ...COMMON,
      name: 'view_hotspots',
      _meta: { [FOR_META]: 'find_hotspots' },
      description: 'The data of the view of find_hotspots',
      input: {
        type: 'object',
        properties: {
          ...SUBJECT,
          period_days: { ...PERIOD_DAYS, default: 365 },
          include_tests: { type: 'boolean', default: false },
        },
        required: ['project_path'],
        additionalProperties: false,
      },
    },
    async ({ period_days, include_tests, ...subject }, ctx) => {
      const found = await changes(bench, subject.project_path, period_days, ctx.signal)
      const measured = await measure(bench, subject, ctx)
      const { kept } = maintained(measured.files, include_tests)
      const lines = new Map(kept.map(file => [file.file, file.lines]))
      const all = joined(found, kept)
      const hotspots = all.slice(0, MOST_FILES).map(one => Object.assign({ lines: lines.get(one.file) ?? 0 }, one))
      return { period_days, total: all.length, hotspots, ...notRead(measured) }
    },
  )

const viewComplexity = (bench: Bench): Tool =>
  tool(
    {
      ...COMMON,
      name: 'view_complexity',
      _meta: { [FOR_META]: 'analyze_complexity' },
      description: 'The data of the view of analyze_complexity',
      input: {
        type: 'object',
        properties: {
          ...SUBJECT,
          max_cyclomatic: { type: 'number', minimum: 1 },
          max_cognitive: { type: 'number', minimum: 0 },
          include: { type: 'array', items: { type: 'string', maxLength: 1000 }, maxItems: 100 },
          exclude: { type: 'array', items: { type: 'string', maxLength: 1000 }, maxItems: 100 },
        },
        required: ['project_path'],
        additionalProperties: false,
      },
    },
    async ({ max_cyclomatic, max_cognitive, ...subject }, ctx) => {
      const { files: measured, unread } = await measure(bench, subject, ctx)
      const limits = thresholds(max_cyclomatic, max_cognitive)
      const { summary } = report(measured, { thresholds: limits, topFiles: 0, full: false })
      const functions = measured.flatMap(({ file, functions: own }) => own.map(one => ({ file, ...one })))
      const worst = functions
        .toSorted((a, b) => weight(b) - weight(a))
        .slice(0, MOST_FILES)
        .map(({ file, name, line, lines, cyclomatic, cognitive }) => ({
          file,
          name,
          line,
          lines,
          cyclomatic,
          cognitive,
        }))
      const bins = (of: 'cyclomatic' | 'cognitive'): number[] => histogram(functions.map(one => one[of]))
      return {
        summary,
        thresholds: limits,
        cyclomatic: bins('cyclomatic'),
        cognitive: bins('cognitive'),
        functions: worst,
        ...notRead({ unread }),
      }
    },
  )

const weight = ({ cyclomatic, cognitive }: FunctionMetrics): number => Math.max(cyclomatic, cognitive)

/** How many have each value; the last bin has what is above. */
function histogram(values: readonly number[]): number[] {
  const bins: number[] = []
  for (const value of values) {
    const bin = Math.min(MOST_BINS, Math.max(0, Math.round(value)))
    while (bins.length <= bin) bins.push(0)
    bins[bin] = (bins[bin] ?? 0) + 1
  }
  return bins
}

const viewChurn = (bench: Bench): Tool =>
  tool(
    {
      ...COMMON,
      name: 'view_churn',
      _meta: { [FOR_META]: 'analyze_code_churn' },
      description: 'The data of the view of analyze_code_churn',
      input: {
        type: 'object',
        properties: { project_path: PROJECT_PATH, period_days: PERIOD_DAYS },
        required: ['project_path'],
        additionalProperties: false,
      },
    },
    async ({ project_path, period_days }, ctx) => {
      const { history, only, as } = await historyOf(bench, project_path, period_days, ctx.signal)
      const { summary, files } = churn(history, { periodDays: period_days, as, ...(only !== undefined && { only }) })
      const prefix = history.prefix + (only ?? '')
      return { summary, files: files.slice(0, MOST_FILES), ...overTime(history.commits, prefix) }
    },
  )

/** Commits and changed lines in days, weeks or more, so that there are not too many bars. */
function overTime(commits: readonly Commit[], prefix: string): { days: number; buckets: readonly object[] } {
  const touched = commits.flatMap(({ time, changes: all }) => {
    const own = all.filter(({ path }) => path.startsWith(prefix))
    return own.length > 0 ? [{ day: Math.floor(time / DAY_S), own }] : []
  })
  const first = touched.reduce((least, { day }) => Math.min(least, day), Infinity)
  const last = touched.reduce((most, { day }) => Math.max(most, day), -Infinity)
  if (touched.length === 0) return { days: 1, buckets: [] }
  const days = [1, 7, 30, 91, 365].find(length => (last - first) / length < MOST_BARS) ?? 3650
  const count = Math.min(MOST_BARS * 4, Math.floor((last - first) / days) + 1)
  const buckets = Array.from({ length: count }, (_, i) => ({
    start: new Date((first + i * days) * DAY_S * 1000).toISOString().slice(0, 10),
    commits: 0,
    additions: 0,
    deletions: 0,
  }))
  for (const { day, own } of touched) {
    const bucket = buckets[Math.floor((day - first) / days)]
    if (!bucket) continue
    bucket.commits += 1
    for (const { additions, deletions } of own) {
      bucket.additions += additions
      bucket.deletions += deletions
    }
  }
  return { days, buckets }
}

const viewDependencies = (bench: Bench): Tool =>
  tool(
    {
      ...COMMON,
      name: 'view_dependencies',
      _meta: { [FOR_META]: 'analyze_dependencies' },
      description: 'The data of the view of analyze_dependencies',
      input: {
        type: 'object',
        properties: { ...SUBJECT, level: { type: 'string', enum: ['file', 'directory'] } },
        required: ['project_path'],
        additionalProperties: false,
      },
    },
    async ({ level: asked, ...subject }, ctx) => {
      const { edges: files, depending, running, unread } = await networkOf(bench, subject, ctx)
      const level = asked ?? (files.size > MOST_NODES ? 'directory' : 'file')
      const edges = level === 'file' ? files : byDirectory(files)
      const isByFile = level === 'file'
      const cycles = cyclesIn(isByFile ? depending : byDirectory(depending), isByFile ? running : byDirectory(running))
      const degree = new Map<string, number>()
      for (const [from, to] of edges) {
        degree.set(from, (degree.get(from) ?? 0) + to.size)
        for (const one of to) degree.set(one, (degree.get(one) ?? 0) + 1)
      }
      const isInCycle = new Set(cycles.flatMap(({ path }) => path))
      const rank = (node: string): number => (degree.get(node) ?? 0) + (isInCycle.has(node) ? 1e6 : 0)
      const nodes = [...edges.keys()]
        .toSorted((a, b) => rank(b) - rank(a) || (a < b ? -1 : 1))
        .slice(0, MOST_NODES)
        .toSorted()
      const at = new Map(nodes.map((node, i) => [node, i]))
      const links = nodes.flatMap((node, from) =>
        [...(edges.get(node) ?? [])].flatMap(to => (at.has(to) ? [[from, at.get(to) ?? 0]] : [])),
      )
      return {
        level,
        total: edges.size,
        nodes,
        edges: links.slice(0, MOST_EDGES),
        cycles: cycles.slice(0, 50),
        ...notRead({ unread }),
      }
    },
  )
