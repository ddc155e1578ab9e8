import { isObject } from '@causeway/engine/internal'
import { readFolder } from './files.ts'
import { readSamples, sampleErrors } from './samples.ts'
import { FRAMEWORKS, LANGUAGES } from './settings.ts'
import type { YamlFile } from './yaml-files.ts'

/** An error in a file, or a warning. */
export interface Finding {
  readonly file: string
  readonly level: 'error' | 'warning'
  readonly what: string
}

/** What a folder of patterns is worth. */
export interface Verdict {
  readonly files: number
  readonly findings: readonly Finding[]
}

type Json = Readonly<Record<string, unknown>>

/** Check every pattern of a folder, alone and against the others, and the samples beside them. */
export async function validateFolder(folder: string): Promise<Verdict> {
  const [files, samples] = await Promise.all([readFolder(folder), readSamples(folder)])
  const read = files.flatMap(({ file, pattern }) => (isObject(pattern) ? [{ file, pattern }] : []))
  const sampled = new Set(samples.flatMap(({ content }) => (isObject(content) ? Object.keys(content) : [])))
  const findings = [
    ...files.filter(({ pattern }) => !isObject(pattern)).map(({ file, problem = NOT_A_MAP }) => error(file, problem)),
    ...read.flatMap(({ file, pattern }) =>
      findingsIn(pattern, sampled).map(({ level, what }) => ({ file, level, what })),
    ),
    ...together(read),
    ...inSamples(samples, read),
  ]
  return { files: files.length, findings: findings.sort((a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : 0)) }
}

const NOT_A_MAP = 'threat_pattern must be a map'

/** Check one pattern; `sampled` names mitigations whose code lies beside it. */
export function findingsIn(pattern: unknown, sampled: ReadonlySet<string> = new Set()): Omit<Finding, 'file'>[] {
  if (!isObject(pattern)) return [{ level: 'error', what: NOT_A_MAP }]
  return [
    ...errorsIn(pattern).map(what => ({ level: 'error', what }) as const),
    ...warningsIn(pattern, sampled).map(what => ({ level: 'warning', what }) as const),
  ]
}

interface Read {
  readonly file: string
  readonly pattern: Json
}

/** Ids that two files have, and ids of relatives that none has. */
function together(read: readonly Read[]): Finding[] {
  const ids = read.map(({ pattern }) => pattern.id)
  const repeated = read
    .filter(({ pattern }, at) => ids.indexOf(pattern.id) < at)
    .map(({ file, pattern }) => error(file, `id ${say(pattern.id)} is taken by another file`))
  const dangling = read.flatMap(({ file, pattern }) =>
    maps(pattern.related_patterns)
      .filter(({ id }) => !ids.includes(id))
      .map(({ id }) => error(file, `related_patterns names ${say(id)}, which no file has`)),
  )
  return [...repeated, ...dangling]
}

function inSamples(files: readonly YamlFile[], read: readonly Read[]): Finding[] {
  const ids = new Set(read.flatMap(({ pattern }) => maps(pattern.mitigations).map(({ id }) => textOf(id))))
  return files.flatMap(({ file, content, problem }) =>
    (problem === undefined ? sampleErrors(content, ids) : [problem]).map(what => error(file, what)),
  )
}

const error = (file: string, what: string): Finding => ({ file, level: 'error', what })

const CHOICES: Readonly<Record<string, readonly string[]>> = {
  tier: ['A', 'B'],
  severity: ['critical', 'high', 'medium', 'low'],
  likelihood: ['high', 'medium', 'low'],
  language: [...LANGUAGES, 'any'],
  framework: FRAMEWORKS,
}

/** What a pattern must have. */
function errorsIn(pattern: Json): string[] {
  const summary = isObject(pattern.agent_summary) ? pattern.agent_summary : {}
  return [
    ...absent(pattern, ['id', 'name', 'category', 'description'], ''),
    ...absent(summary, ['threat', 'check', 'fix'], 'agent_summary.'),
    ...Object.entries(CHOICES).flatMap(([key, choices]) => notIn(pattern, key, choices)),
    ...(typeof pattern.id === 'string' && !/^[A-Z]+(?:-[A-Z0-9]+)+$/.test(pattern.id)
      ? [`id ${say(pattern.id)} must be capitals and digits joined by hyphens`]
      : []),
    ...mitigationErrors(pattern.mitigations),
    ...(pattern.tier === 'A' && !hasText(pattern.attack_scenario, 'narrative')
      ? ['attack_scenario.narrative is required in tier A']
      : []),
  ]
}

const LONGEST_SUMMARY = 400

/** What a pattern should have. */
function warningsIn(pattern: Json, sampled: ReadonlySet<string>): string[] {
  const summary = isObject(pattern.agent_summary) ? pattern.agent_summary : {}
  const length = ['threat', 'check', 'fix'].reduce((sum, key) => sum + textOf(summary[key]).length, 0)
  const keywords = isObject(pattern.triggers) ? pattern.triggers.keywords : undefined
  const hasCode = maps(pattern.mitigations).some(
    ({ id, code_examples }) => sampled.has(textOf(id)) || maps(code_examples).length > 0,
  )
  const inTierA: readonly (readonly [string, boolean])[] = [
    ['generalizes_to', isFilled(pattern.generalizes_to)],
    ['security_principles', isFilled(pattern.security_principles)],
    ['code examples', hasCode],
  ]
  return [
    ...(length > LONGEST_SUMMARY ? [`agent_summary has ${length} characters, more than ${LONGEST_SUMMARY}`] : []),
    ...(isFilled(keywords) ? [] : ['triggers.keywords is empty: no query finds the pattern']),
    ...(hasText(pattern.provenance, 'source_type') ? [] : ['provenance.source_type is missing']),
    ...(pattern.tier === 'A' ? inTierA.filter(([, has]) => !has).map(([what]) => `tier A without ${what}`) : []),
  ]
}

function mitigationErrors(mitigations: unknown): string[] {
  const all = maps(mitigations)
  if (all.length === 0) return ['mitigations must have at least one']
  return all.flatMap((mitigation, at) => absent(mitigation, ['id', 'description'], `mitigations[${at}].`))
}

const absent = (map: Json, keys: readonly string[], path: string): string[] =>
  keys.filter(key => textOf(map[key]).trim() === '').map(key => `${path}${key} is required`)

function notIn(pattern: Json, key: string, choices: readonly string[]): string[] {
  const value = pattern[key]
  if (choices.some(choice => choice === value)) return []
  return [value === undefined ? `${key} is required` : `${key} ${say(value)} must be one of ${choices.join(', ')}`]
}

const maps = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isObject) : [])
const isFilled = (value: unknown): boolean => Array.isArray(value) && value.length > 0
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
const hasText = (map: unknown, key: string): boolean => isObject(map) && textOf(map[key]).trim() !== ''
const say = (value: unknown): string =>
  typeof value === 'string' ? `'${value}'` : (JSON.stringify(value) ?? 'nothing')
