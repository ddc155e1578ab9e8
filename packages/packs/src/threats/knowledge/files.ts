import type { Pattern } from './pattern.ts'
import { readSamples, withSamples } from './samples.ts'
import type { Samples } from './samples.ts'
import { parseYaml, readYamlFiles } from './yaml-files.ts'

/** One file of a folder: the pattern in it, or why there is none. */
export interface PatternFile {
  readonly file: string
  readonly pattern?: unknown
  readonly problem?: string
}

const NOT_A_PATTERN = 'must have one key, threat_pattern'

/** Read the patterns of a folder, in the order of the names of their files. */
export async function readFolder(folder: string): Promise<PatternFile[]> {
  const files = await readYamlFiles(folder)
  return files.map(({ file, content, problem }) => {
    if (problem !== undefined) return { file, problem }
    return isPattern(content) ? { file, pattern: content.threat_pattern } : { file, problem: NOT_A_PATTERN }
  })
}

/** The patterns of a folder with the samples beside them; the first file that cannot be read is an error. */
export async function compilePatterns(folder: string): Promise<Pattern[]> {
  const [files, sampled] = await Promise.all([readFolder(folder), readSamples(folder)])
  const bad = [...files, ...sampled].find(({ problem }) => problem !== undefined)
  if (bad) throw new Error(`${bad.file}: ${bad.problem}`)
  const samples = new Map(sampled.flatMap(({ content }) => Object.entries(content as Record<string, Samples>)))
  return files.map(({ pattern }) => withSamples(pattern as Pattern, samples))
}

/** The pattern in a text of YAML or JSON. */
export async function parsePattern(text: string): Promise<unknown> {
  const content = await parseYaml(text)
  if (!isPattern(content)) throw new Error(NOT_A_PATTERN)
  return content.threat_pattern
}

function isPattern(content: unknown): content is { threat_pattern: unknown } {
  const keys = typeof content === 'object' && content !== null ? Object.keys(content) : []
  return keys.length === 1 && keys[0] === 'threat_pattern'
}
