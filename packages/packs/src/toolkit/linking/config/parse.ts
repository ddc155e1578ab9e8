import { createRequire } from 'node:module'
import type * as Jsonc from 'jsonc-parser'
import type * as Toml from 'smol-toml'

const load = createRequire(import.meta.url)

/** A table as strangers write it; anything may be in it. */
export type Loose = Readonly<Record<string, unknown>>

/** JSON with comments and trailing commas; an empty table if it is something else. */
export function parseJson(text: string): Loose {
  const { parse } = load('jsonc-parser') as typeof Jsonc
  return table(parse(text.replace(/^\uFEFF/, ''), [], { allowTrailingComma: true }) as unknown)
}

/** TOML; an empty table if it is something else. */
export function parseToml(text: string): Loose {
  const { parse } = load('smol-toml') as typeof Toml
  try {
    return table(parse(text))
  } catch {
    return {}
  }
}

/** The value if it is a table, otherwise an empty one. */
export const table = (value: unknown): Loose =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Loose) : {}

/** A member that the table itself has. */
export const own = (of: Loose, key: string): unknown => (Object.hasOwn(of, key) ? of[key] : undefined)

/** The value if it is a text. */
export const string = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

/** The texts of a list; of one text, that one. */
export const strings = (value: unknown): string[] =>
  (Array.isArray(value) ? (value as unknown[]) : [value]).flatMap(one => string(one) ?? [])
