import { isObject, showInvisible } from '@causeway/engine/internal'
import type { Definition } from './fingerprint.ts'

/** One value of a definition that differs, with its place; a value that was not there, or is no longer, is undefined. */
export interface TextChange {
  readonly where: string
  readonly before: string | undefined
  readonly after: string | undefined
}

const DEEPEST = 20
const LONGEST_PLACE = 200
const MOST_CHANGES = 30
const MOST_LINES = 30
const LONGEST_TEXT = 2000
const CONTEXT = 40

/** The values of two definitions that differ. */
export function textChanges(before: Definition | undefined, after: Definition | undefined): TextChange[] {
  const [old, now] = [valuesIn(before), valuesIn(after)]
  return [...new Set([...old.keys(), ...now.keys()])]
    .filter(where => old.get(where) !== now.get(where))
    .map(where => ({ where, before: old.get(where), after: now.get(where) }))
}

function valuesIn(definition: Definition | undefined): Map<string, string> {
  const found = new Map<string, string>()
  const walk = (value: unknown, where: string, depth: number): void => {
    const isInner = depth < DEEPEST && typeof value === 'object' && value !== null && Object.keys(value).length > 0
    if (!isInner) return void found.set(where, typeof value === 'string' ? value : JSON.stringify(value))
    if (Array.isArray(value)) value.forEach((item, at) => walk(item, `${where}[${at}]`, depth + 1))
    else if (isObject(value)) for (const key of Object.keys(value)) walk(value[key], placeOf(where, key), depth + 1)
  }
  if (definition) walk(definition, '', 0)
  return found
}

/** Names with a dot or a bracket are quoted, so that no two places have one name. */
const placeOf = (where: string, key: string): string => {
  if (!/^[\w$-]+$/.test(key)) return `${where}[${JSON.stringify(key)}]`
  return where === '' ? key : `${where}.${key}`
}

/** Old and new text of what changed, as lines for a terminal: bounded, and with nothing hidden. */
export function changeLines(before: Definition | undefined, after: Definition | undefined): string[] {
  const all = textChanges(before, after)
  const shown = all.slice(0, MOST_CHANGES).flatMap(linesAbout)
  return all.length > MOST_CHANGES
    ? [...shown, `… and ${all.length - MOST_CHANGES} more places (--json has them)`]
    : shown
}

function linesAbout({ where, before, after }: TextChange): string[] {
  const from = commonStart(before, after)
  const place = showInvisible(where.slice(0, LONGEST_PLACE)).replaceAll(/\s/g, ' ')
  return [`${place}:`, ...linesOf('- ', before, from), ...linesOf('+ ', after, from)]
}

/** Where two texts begin to differ, so that a change behind a long beginning is in view. */
function commonStart(a = '', b = ''): number {
  let at = 0
  while (at < a.length && at < b.length && a[at] === b[at]) at += 1
  return at < LONGEST_TEXT / 2 ? 0 : at - CONTEXT
}

function linesOf(mark: string, text: string | undefined, from: number): string[] {
  if (text === undefined) return []
  const end = from + LONGEST_TEXT
  const part = `${from > 0 ? '…' : ''}${text.slice(from, end)}`
  const lines = showInvisible(part).split(/\r\n|\r|\n/)
  const more = Math.max(0, text.length - end)
  const rest =
    lines.length > MOST_LINES || more > 0 ? [`  … more: ${text.length} characters in all (--json has them)`] : []
  return [...lines.slice(0, MOST_LINES).map(line => `  ${mark}${line}`), ...rest]
}
