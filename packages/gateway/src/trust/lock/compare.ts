import { canonicalJson, isObject } from '@causeway/engine/internal'
import type { Definition } from './fingerprint.ts'

/**
 * What became of a tool since it was approved. `words`: only texts changed; `wider`: it takes or gives more;
 * `breaking`: callers may fail; `riskier`: it promises less safety.
 */
export type ChangeClass = 'same' | 'words' | 'wider' | 'breaking' | 'riskier' | 'new' | 'gone'

/** A change, and what it is in words. */
export interface Change {
  readonly change: ChangeClass
  readonly details: readonly string[]
}

type Json = Readonly<Record<string, unknown>>
const mapOf = (value: unknown): Json => (isObject(value) ? value : {})
const listOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value : value === undefined ? [] : [value]

// Absent hints mean the cautious thing, as the protocol has it.
const HINTS = [
  { key: 'readOnlyHint', absent: false, safe: true },
  { key: 'destructiveHint', absent: true, safe: false },
  { key: 'openWorldHint', absent: true, safe: false },
] as const

/** Members that are compared by what they mean. */
const COMPARED = new Set(['inputSchema', 'outputSchema', 'annotations'])

/** How a definition differs from the one that was approved. */
export function compare(before: Definition, after: Definition): Change {
  const riskier = riskierHints(before, after)
  const findings: Findings = { breaking: [], wider: [] }
  compareInput(mapOf(before.inputSchema), mapOf(after.inputSchema), '', findings)
  compareOutput(before.outputSchema, after.outputSchema, findings)
  const words = changedWords(before, after)
  const details = [...riskier, ...findings.breaking, ...findings.wider, ...words]
  if (riskier.length > 0) return { change: 'riskier', details }
  if (findings.breaking.length > 0) return { change: 'breaking', details }
  if (words.length > 0) return { change: 'words', details }
  if (findings.wider.length > 0) return { change: 'wider', details }
  if (canonicalJson(before) === canonicalJson(after)) return { change: 'same', details: [] }
  return { change: 'words', details: ['its definition changed'] }
}

interface Findings {
  readonly breaking: string[]
  readonly wider: string[]
}

function riskierHints(before: Definition, after: Definition): string[] {
  const [old, now] = [mapOf(before.annotations), mapOf(after.annotations)]
  return HINTS.flatMap(({ key, absent, safe }) => {
    const [was, is] = [old[key] ?? absent, now[key] ?? absent]
    return was === safe && is !== safe ? [`${key} was ${JSON.stringify(was)} and is ${JSON.stringify(is)}`] : []
  })
}

function changedWords(before: Definition, after: Definition): string[] {
  const own = [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter(key => !COMPARED.has(key) && canonicalJson(before[key]) !== canonicalJson(after[key]))
    .map(key => `its ${key.slice(0, 100)} changed`)
  const [old, now] = [textsOf(before.inputSchema), textsOf(after.inputSchema)]
  const inner = [...now].filter(([path, text]) => old.has(path) && old.get(path) !== text)
  return [...own, ...inner.map(([path]) => `the description of ${path} changed`)]
}

/** Every description in a schema, by where it stands. */
function textsOf(schema: unknown, path = 'its arguments', found = new Map<string, string>()): Map<string, string> {
  if (!isObject(schema)) return found
  if (typeof schema.description === 'string') found.set(path, schema.description)
  for (const [name, property] of Object.entries(mapOf(schema.properties))) textsOf(property, `'${name}'`, found)
  if (isObject(schema.items)) textsOf(schema.items, `items of ${path}`, found)
  return found
}

function compareInput(old: Json, now: Json, path: string, findings: Findings): void {
  const [were, are] = [mapOf(old.properties), mapOf(now.properties)]
  const [must, mustNow] = [new Set(listOf(old.required)), new Set(listOf(now.required))]
  for (const name in were) {
    const shown = `'${path}${name}'`
    if (!(name in are)) findings.breaking.push(`argument ${shown} is gone`)
    else compareType(mapOf(were[name]), mapOf(are[name]), shown, findings)
    if (!must.has(name) && mustNow.has(name)) findings.breaking.push(`argument ${shown} is now required`)
    if (must.has(name) && !mustNow.has(name) && name in are) findings.wider.push(`argument ${shown} is now optional`)
  }
  for (const name in are) {
    if (name in were) continue
    const shown = `'${path}${name}'`
    if (mustNow.has(name)) findings.breaking.push(`argument ${shown} is new and required`)
    else findings.wider.push(`argument ${shown} is new`)
  }
}

function compareType(old: Json, now: Json, shown: string, findings: Findings): void {
  compareSet(listOf(old.type), listOf(now.type), `the type of ${shown}`, findings)
  compareSet(listOf(old.enum), listOf(now.enum), `the values of ${shown}`, findings)
  for (const [key, tightens] of BOUNDS)
    compareBound(old[key], now[key], { what: `${key} of ${shown}`, tightens }, findings)
  if (isObject(old.properties) || isObject(now.properties)) compareInput(old, now, `${shown.slice(1, -1)}.`, findings)
  if (isObject(old.items) && isObject(now.items)) compareType(old.items, now.items, `items of ${shown}`, findings)
}

const BOUNDS = [
  ['minimum', 1],
  ['minLength', 1],
  ['minItems', 1],
  ['maximum', -1],
  ['maxLength', -1],
  ['maxItems', -1],
] as const

function compareBound(
  old: unknown,
  now: unknown,
  { what, tightens }: { what: string; tightens: 1 | -1 },
  findings: Findings,
): void {
  if (old === now) return
  const open = tightens === 1 ? -Infinity : Infinity
  const [was, is] = [typeof old === 'number' ? old : open, typeof now === 'number' ? now : open]
  const isNarrower = (is - was) * tightens > 0
  ;(isNarrower ? findings.breaking : findings.wider).push(`${what} is now ${isNarrower ? 'narrower' : 'looser'}`)
}

/** An empty set means that anything goes. */
function compareSet(old: readonly unknown[], now: readonly unknown[], what: string, findings: Findings): void {
  const [were, are] = [new Set(old.map(canonicalJson)), new Set(now.map(canonicalJson))]
  const lost = are.size > 0 && (were.size === 0 || [...were].some(value => !are.has(value)))
  const gained = were.size > 0 && (are.size === 0 || [...are].some(value => !were.has(value)))
  if (lost) findings.breaking.push(`${what} allow${what.startsWith('the type') ? 's' : ''} less`)
  else if (gained) findings.wider.push(`${what} allow${what.startsWith('the type') ? 's' : ''} more`)
}

/** Who reads results may miss what is no longer promised. */
function compareOutput(before: unknown, after: unknown, { breaking, wider }: Findings): void {
  if (canonicalJson(before) === canonicalJson(after)) return
  if (before !== undefined && after === undefined) return void breaking.push('its results no longer have a schema')
  if (before === undefined) return void wider.push('its results have a schema now')
  const [old, now] = [mapOf(before), mapOf(after)]
  const promised = new Set(listOf(now.required))
  const lost = listOf(old.required).filter(name => !promised.has(name))
  if (lost.length > 0) breaking.push(`its results may lack ${lost.map(String).join(', ')}`)
  else wider.push('the schema of its results changed')
}
