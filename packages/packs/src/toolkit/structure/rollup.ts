import { posix } from 'node:path'
import { counted, mean, round } from '../analysis/measure/metrics.ts'
import type { FileMetrics } from '../analysis/measure/metrics.ts'

/** The figures of one directory and everything below it. */
export interface Figures {
  readonly files: number
  readonly lines: number
  readonly functions: number
  readonly avg_cyclomatic: number
  readonly max_cyclomatic: number
  readonly avg_cognitive: number
  /** The sum of all functions. */
  readonly cognitive: number
}

/** A directory, its figures, and how they changed. */
export interface Directory extends Figures {
  readonly directory: string
  /** What was added since the earlier revision, or taken away. */
  readonly change?: Figures
}

/** Sum up files by directory, down to a depth; with an earlier state, also how much changed. */
export function rollUp(now: readonly FileMetrics[], depth: number, before?: readonly FileMetrics[]): Directory[] {
  const groups = grouped(now, depth)
  const earlier = before && grouped(before, depth)
  const names = [...new Set([...groups.keys(), ...(earlier?.keys() ?? [])])]
  return names
    .map((directory): Directory => {
      const figures = figuresOf(groups.get(directory) ?? [])
      const change = earlier && difference(figures, figuresOf(earlier.get(directory) ?? []))
      return Object.assign({ directory }, figures, change && { change })
    })
    .sort((a, b) => b.cognitive - a.cognitive || (a.directory < b.directory ? -1 : 1))
}

function grouped(measured: readonly FileMetrics[], depth: number): Map<string, FileMetrics[]> {
  const groups = new Map<string, FileMetrics[]>()
  for (const file of measured) {
    for (const directory of above(file.file, depth)) {
      const group = groups.get(directory)
      if (group) group.push(file)
      else groups.set(directory, [file])
    }
  }
  return groups
}

/** The directories that hold a file, from the top to a depth. */
function above(file: string, depth: number): string[] {
  const parts = posix.dirname(file.replace(/^\.\//, '')).split('/')
  const inner = parts[0] === '.' ? [] : parts
  return Array.from({ length: Math.min(depth, inner.length) + 1 }, (_, i) => inner.slice(0, i).join('/') || '.')
}

function figuresOf(files: readonly FileMetrics[]): Figures {
  const functions = files.flatMap(file => file.functions)
  const cognitive = counted(functions).map(f => f.cognitive)
  return {
    files: files.length,
    lines: files.reduce((sum, file) => sum + file.lines, 0),
    functions: functions.length,
    avg_cyclomatic: round(mean(functions.map(f => f.cyclomatic))),
    max_cyclomatic: functions.reduce((most, f) => Math.max(most, f.cyclomatic), 0),
    avg_cognitive: round(mean(cognitive)),
    cognitive: cognitive.reduce((sum, value) => sum + value, 0),
  }
}

function difference(now: Figures, before: Figures): Figures {
  const by = (key: keyof Figures): number => round(now[key] - before[key])
  return {
    files: by('files'),
    lines: by('lines'),
    functions: by('functions'),
    avg_cyclomatic: by('avg_cyclomatic'),
    max_cyclomatic: by('max_cyclomatic'),
    avg_cognitive: by('avg_cognitive'),
    cognitive: by('cognitive'),
  }
}
