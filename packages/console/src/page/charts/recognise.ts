import { isObject } from '@causeway/engine/browser'
import type { Schema } from '../schema/schema.ts'

/** A value over time or over another number. */
export interface Series {
  readonly kind: 'series'
  readonly title: string
  readonly points: readonly { readonly x: string; readonly y: number }[]
}

/** How much there is of each. */
export interface Distribution {
  readonly kind: 'distribution'
  readonly title: string
  readonly bars: readonly { readonly name: string; readonly value: number }[]
}

/** Two figures of each, one against the other. */
export interface Scatter {
  readonly kind: 'scatter'
  readonly title: string
  readonly x: string
  readonly y: string
  readonly points: readonly { readonly name: string; readonly x: number; readonly y: number; readonly size: number }[]
}

/** What can be drawn. */
export type Drawing = Series | Distribution | Scatter

const TIME = /^\d{4}-(?:\d{2}-\d{2}|\d{2}|\d{3}|W\d{2})(?:[T ].*)?$|^\d{4}$/
const TIME_NAMES = ['start', 'date', 'time', 'day', 'week', 'month', 'year', 'bucket', 'timestamp', 'at', 'x']
const NAMES = [
  'name',
  'label',
  'team',
  'target',
  'directory',
  'folder',
  'file',
  'path',
  'key',
  'category',
  'id',
  'author',
]
// What people look for first; else the first figure there is.
const FIGURES = ['count', 'value', 'cognitive', 'total', 'hours', 'commits', 'commit_count', 'y', 'lines', 'score']
const MOST = 2000

const isTime = (value: unknown): boolean => typeof value === 'string' && TIME.test(value)

/** Something to draw, where a value is a series, a distribution or has two figures that belong together. */
export function recognise(value: unknown, name = ''): Drawing | undefined {
  if (typeof value === 'string') return commits(value)
  if (!Array.isArray(value)) return undefined
  if (value.length >= 3 && value.every(isNumber)) {
    return {
      kind: 'series',
      title: name || 'Values',
      points: value.slice(0, MOST).map((y, i) => ({ x: String(i), y })),
    }
  }
  const rows = value.filter(isObject).slice(0, MOST)
  if (rows.length < 2 || rows.length < value.length / 2) return undefined
  return hotspots(rows) ?? series(rows) ?? distribution(rows)
}

const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value)

const numeric = (rows: readonly Schema[], name: string): boolean => rows.every(row => isNumber(row[name]))

/** Churn against complexity: what changes often and is hard to change. */
function hotspots(rows: readonly Schema[]): Scatter | undefined {
  const x = ['churn_score', 'churn', 'commit_count', 'commits'].find(name => numeric(rows, name))
  const y = ['complexity', 'cognitive', 'cyclomatic'].find(name => numeric(rows, name))
  const name = NAMES.find(one => typeof rows[0]?.[one] === 'string')
  if (x === undefined || y === undefined || name === undefined) return undefined
  const size = ['score', 'commit_count', 'lines'].find(one => one !== x && numeric(rows, one))
  const points = rows.map(row => ({
    name: String(row[name]),
    x: Number(row[x]),
    y: Number(row[y]),
    size: size === undefined ? 1 : Number(row[size]),
  }))
  return { kind: 'scatter', title: `${words(x)} and ${words(y)}`, x: words(x), y: words(y), points }
}

function series(rows: readonly Schema[]): Series | undefined {
  const time = TIME_NAMES.find(name => rows.every(row => isTime(row[name])))
  const figure = time === undefined ? undefined : figureOf(rows, [time])
  if (time === undefined || figure === undefined) return undefined
  const points = rows.map(row => ({ x: String(row[time]), y: Number(row[figure]) }))
  return {
    kind: 'series',
    title: `${words(figure)} over time`,
    points: points.toSorted((a, b) => (a.x < b.x ? -1 : 1)),
  }
}

function distribution(rows: readonly Schema[]): Distribution | undefined {
  const name = NAMES.find(one => rows.every(row => typeof row[one] === 'string' || typeof row[one] === 'number'))
  const figure = name === undefined ? undefined : figureOf(rows, [name, 'id', 'rank', 'line'])
  if (name === undefined || figure === undefined) return undefined
  const bars = rows.map(row => ({ name: String(row[name]), value: Number(row[figure]) }))
  return { kind: 'distribution', title: `${words(figure)} by ${words(name)}`, bars }
}

function figureOf(rows: readonly Schema[], not: readonly string[]): string | undefined {
  const all = Object.keys(rows[0] ?? {}).filter(name => !not.includes(name) && numeric(rows, name))
  return FIGURES.find(name => all.includes(name)) ?? all[0]
}

const words = (name: string): string => name.replaceAll('_', ' ')

/** Lines of a git log, each with its day at the end: how many a day. */
function commits(text: string): Series | undefined {
  const days = [...text.matchAll(/^[0-9a-f]{7,40} .*, (\d{4}-\d{2}-\d{2})\)$/gm)].map(found => found[1] ?? '')
  if (days.length < 3) return undefined
  const counts = new Map<string, number>()
  for (const day of days) counts.set(day, (counts.get(day) ?? 0) + 1)
  if (counts.size < 2) return undefined
  const points = [...counts].map(([x, y]) => ({ x, y })).toSorted((a, b) => (a.x < b.x ? -1 : 1))
  return { kind: 'series', title: 'commits over time', points }
}

/** Every drawing within a result, with the name of where it was found. */
export function drawingsIn(value: unknown): readonly Drawing[] {
  const own = recognise(value)
  if (own) return [own]
  if (!isObject(value)) return []
  return Object.entries(value)
    .flatMap(([name, inner]) => recognise(inner, words(name)) ?? [])
    .slice(0, 4)
}
