/** An object of which nothing is known. */
export type Fields = Readonly<Record<string, unknown>>

/** Is it an object with names for its members? */
export const isRecord = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A member that should be a list of objects: those that are. */
export const records = (value: unknown): readonly Fields[] => (Array.isArray(value) ? value.filter(isRecord) : [])

/** A member that should be a number. */
export const number = (value: unknown): number => (typeof value === 'number' && Number.isFinite(value) ? value : 0)

/** A member that should be a text; long ones are cut. */
export const text = (value: unknown, most = 2000): string => {
  const whole = typeof value === 'string' ? value : typeof value === 'number' ? String(value) : ''
  return whole.length > most ? `${whole.slice(0, most)}…` : whole
}

/** A tool's result, as far as a view reads it. */
export interface ToolResult {
  readonly content: readonly Fields[]
  readonly structuredContent?: unknown
  readonly isError: boolean
}

/** All texts of a result. */
export const textOf = ({ content }: ToolResult): string =>
  content.flatMap(block => (typeof block.text === 'string' ? [block.text] : [])).join('\n')

/** The data of a result: what is structured, or the first text that is JSON. */
export function dataOf(result: ToolResult | undefined): Fields | undefined {
  if (!result) return undefined
  if (isRecord(result.structuredContent)) return result.structuredContent
  for (const { text: words } of result.content) {
    if (typeof words !== 'string' || !words.trimStart().startsWith('{')) continue
    try {
      const value: unknown = JSON.parse(words)
      if (isRecord(value)) return value
    } catch {
      // It was cut, or is no JSON after all.
    }
  }
  return undefined
}

/** `1,234.5` */
export const shown = (value: number): string => value.toLocaleString('en', { maximumFractionDigits: 2 })

/** A path without what begins all paths. */
export const bare = (path: string): string => path.replace(/^\.\//, '')

/** The last part of a path. */
export const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

/** A path that is short enough for its place: its end says most. */
export const shortPath = (path: string, most: number): string =>
  path.length <= most ? path : `…${path.slice(path.length - most + 1)}`

/** Round numbers that cover a range from zero. */
export function ticks(most: number, about: number): readonly number[] {
  if (!(most > 0)) return [0]
  const rough = most / about
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = [1, 2, 5, 10].map(factor => factor * power).find(one => one >= rough) ?? power
  return Array.from({ length: Math.floor(most / step + 1e-6) + 1 }, (_, i) => Number((i * step).toPrecision(12)))
}

/** `1.2k`, `3.4M`: short enough for an axis. */
export function short(value: number): string {
  const size = Math.abs(value)
  if (size >= 1e6) return `${Number((value / 1e6).toPrecision(3))}M`
  return size >= 1e4 ? `${Number((value / 1e3).toPrecision(3))}k` : String(Number(value.toPrecision(3)))
}
