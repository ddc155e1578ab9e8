import { isObject } from '@causeway/engine/internal'
import { join } from 'node:path'
import type { CodeExample, Pattern } from './pattern.ts'
import { CODED } from './settings.ts'
import { readYamlFiles } from './yaml-files.ts'
import type { YamlFile } from './yaml-files.ts'

/** Code for one framework, and the changes that take its protection away. */
export interface Sample {
  readonly secure: string
  readonly unsafe: readonly (readonly [from: string, to: string])[]
}

/** The samples of one mitigation, by framework, and what they show. */
export type Samples = { readonly about: string } & Readonly<Partial<Record<string, Sample>>>

/** Read the files of samples that lie beside patterns, in the folder `samples`; none if there is no such folder. */
export async function readSamples(folder: string): Promise<YamlFile[]> {
  const files = await readYamlFiles(join(folder, 'samples')).catch(() => [])
  return files.map(({ file, content, problem }) => {
    const named = `samples/${file}`
    return problem === undefined ? { file: named, content } : { file: named, problem }
  })
}

/** The pattern with the samples of its mitigations as code examples. */
export function withSamples(pattern: Pattern, samples: ReadonlyMap<string, Samples>): Pattern {
  const mitigations = pattern.mitigations.map(mitigation => {
    const found = samples.get(mitigation.id)
    if (!found) return mitigation
    return { ...mitigation, code_examples: [...(mitigation.code_examples ?? []), ...examplesOf(found)] }
  })
  return { ...pattern, mitigations }
}

function examplesOf(samples: Samples): CodeExample[] {
  return Object.entries(CODED).flatMap(([framework, language]) => {
    const sample = samples[framework]
    if (!sample || typeof sample === 'string') return []
    const { secure, unsafe } = sample
    return {
      language,
      framework,
      description: samples.about,
      vulnerable_code: withoutProtection(secure, unsafe),
      secure_code: secure,
    }
  })
}

/** The code with each change made once. */
export const withoutProtection = (secure: string, changes: Sample['unsafe']): string =>
  changes.reduce((code, [from, to]) => code.replace(from, () => to), secure)

/** What is wrong with a file of samples, given the ids of the mitigations that patterns have. */
export function sampleErrors(samples: unknown, mitigations: ReadonlySet<string>): string[] {
  if (!isObject(samples)) return ['must be a map from the ids of mitigations to samples']
  return Object.entries(samples).flatMap(([id, found]) => {
    if (!mitigations.has(id)) return [`names the mitigation '${id}', which no pattern has`]
    if (!isObject(found) || typeof found.about !== 'string') return [`${id} needs 'about' and a sample per framework`]
    const { about: _, ...frameworks } = found
    return Object.entries(frameworks).flatMap(([name, sample]) => frameworkErrors(`${id} ${name}`, name, sample))
  })
}

function frameworkErrors(where: string, name: string, sample: unknown): string[] {
  if (!(name in CODED)) return [`${where} must be one of ${Object.keys(CODED).join(', ')}`]
  if (!isObject(sample) || typeof sample.secure !== 'string' || !isChanges(sample.unsafe))
    return [`${where} needs 'secure', its code, and 'unsafe', pairs of a text in it and what replaces it`]
  const { secure, unsafe } = sample
  return unsafe.filter(([from]) => !secure.includes(from)).map(([from]) => `${where} does not contain '${from}'`)
}

const isChanges = (value: unknown): value is [string, string][] =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.every(pair => Array.isArray(pair) && pair.length === 2 && pair.every(text => typeof text === 'string'))
