import { readFile, realpath, stat } from 'node:fs/promises'
import { analyse } from './analyse.ts'
import { languageOf } from './grammar.ts'
import { isMarkedGenerated } from './maintained.ts'
import type { FileMetrics } from './metrics.ts'
import { forgetParsers, parsing } from './parser.ts'

/** A file to measure: where it is, and what reports call it. */
export interface Target {
  readonly path: string
  readonly file: string
}

const LARGEST = 10 * 1024 * 1024
/** The memory that a parser took for a larger file it would keep for good. */
const LARGE = 1024 * 1024

/** Measure one file; what cannot be measured is told, not thrown. */
export async function measureFile({ path, file }: Target): Promise<FileMetrics> {
  const unmeasured = (reason: string): FileMetrics => ({ file, lines: 0, functions: [], fault: { file, reason } })
  const language = languageOf(file)
  if (!language) return unmeasured('Not a language that is measured')
  let source: string
  try {
    const { size } = await stat(path)
    if (size > LARGEST) return unmeasured(`Larger than ${LARGEST / 1024 / 1024} MB`)
    // A link that took the file's place would lead elsewhere.
    if ((await realpath(path)) !== path) return unmeasured('A link')
    source = (await readFile(path, 'utf8')).replace(/^\uFEFF/, '')
  } catch (error) {
    return unmeasured(`Cannot be read: ${error instanceof Error && 'code' in error ? String(error.code) : 'unknown'}`)
  }
  if (source.includes('\0')) return unmeasured('Not a text')
  // Without a parser nothing can be measured at all; that is not this file's fault.
  await parsing(language)
  try {
    const measured = await analyse(file, source, language)
    const marked = isMarkedGenerated(source) ? { ...measured, generated: true as const } : measured
    if (source.length > LARGE) forgetParsers()
    return marked
  } catch (error) {
    forgetParsers()
    return unmeasured(`The parser failed: ${error instanceof Error ? error.message : String(error)}`)
  }
}
