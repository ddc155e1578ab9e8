import { didYouMean } from '@causeway/engine'
import { text } from './values.ts'

type Json = Readonly<Record<string, unknown>>

/** What an entry is read with. */
export interface AuthSurroundings {
  /** The file of the entry, for relative paths. */
  readonly file: string
  /** Fills variables in. */
  fill(value: string): string
}

interface Place {
  readonly at: string
  readonly around: AuthSurroundings
  readonly problems: string[]
}

/** A text with its variables filled in; undefined where there is none. */
export function filledIn(written: Json, key: string, { at, around, problems }: Place): string | undefined {
  const value = text(written[key], `${at}.${key}`, problems)
  return value === undefined ? undefined : around.fill(value)
}

/** A key, if it has a value. */
export const given = <K extends string, V>(key: K, value: V | undefined): { [key in K]?: V } =>
  value === undefined ? {} : ({ [key]: value } as { [key in K]: V })

/** A key that is not known is a mistake. */
export function checkKeys(value: Json, known: readonly string[], where: string, problems: string[]): void {
  for (const key of Object.keys(value)) {
    if (known.includes(key)) continue
    const advice = didYouMean(key, known) ?? `Known are ${known.join(', ')}.`
    problems.push(`unknown key '${where}.${key.slice(0, 100)}'. ${advice}`)
  }
}

/** A text that is an address of the web. */
export function addressIn(value: string | undefined, where: string, problems: string[]): string | undefined {
  if (value === undefined || (URL.canParse(value) && /^https?:/.test(value))) return value
  problems.push(`'${where}' must be an address that begins with https://`)
  return undefined
}
