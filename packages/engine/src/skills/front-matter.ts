import { canonicalJson } from '../support/canonical-json.ts'
import { isObject } from '../support/is-object.ts'

/** Reads YAML: the engine has no parser of its own. */
export type ParseYaml = (yaml: string) => unknown

const FENCED = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/

// The time that YAML takes grows with the square of its length.
const LONGEST = 16 * 1024
/** What front matter may be as JSON, in characters. */
export const LONGEST_JSON: number = 64 * 1024

/** The front matter of a SKILL.md, as JSON; a file without one, or with one that is too long or no object, throws. */
export function readFrontMatter(text: string, parse: ParseYaml): Record<string, unknown> {
  const yaml = FENCED.exec(text.slice(0, LONGEST))?.[1]
  if (yaml === undefined)
    throw new Error(`it does not begin with front matter between two lines of ---, of at most ${LONGEST} characters`)
  const json = JSON.stringify(parse(yaml) ?? null)
  // Aliases say the same again and again.
  if (json.length > LONGEST_JSON) throw new Error(`its front matter is more than ${LONGEST_JSON} characters of JSON`)
  const value: unknown = JSON.parse(json)
  if (!isObject(value)) throw new Error('its front matter is not an object')
  return value
}

/** Does the front matter of a text say just what was listed? */
export function hasFrontMatter(text: string, listed: unknown, parse: ParseYaml): boolean {
  try {
    return canonicalJson(readFrontMatter(text, parse)) === canonicalJson(listed)
  } catch {
    return false
  }
}
