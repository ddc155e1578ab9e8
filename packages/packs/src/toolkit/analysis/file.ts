import { readFile, realpath, stat } from 'node:fs/promises'
import { analyse } from './analyse.ts'
import { languageOf } from './grammar.ts'
import { inspect } from './inspect.ts'
import type { Ask } from './inspect.ts'
import { isMarkedGenerated } from './maintained.ts'
import type { FileMetrics } from './metrics.ts'
import { forgetParsers, parsing } from './parser.ts'

/** A file to measure: where it is, and what reports call it. */
export interface Target {
  readonly path: string
  readonly file: string
  /** What it held at another time, if that is meant. */
  readonly source?: string | undefined
  /** What to find out about it, instead of measuring it. */
  readonly ask?: Ask | undefined
}

const LARGEST = 10 * 1024 * 1024
/** The memory that a parser took for a larger file it would keep for good. */
const LARGE = 1024 * 1024

/** Measure one file, or find out what was asked; what cannot be done is told, not thrown. */
export async function measureFile(target: Target): Promise<FileMetrics> {
  const { file, ask } = target
  const unmeasured = (reason: string): FileMetrics => ({ file, lines: 0, functions: [], fault: { file, reason } })
  const language = languageOf(file)
  if (!language) return unmeasured('Not a language that is measured')
  const source = await readSource(target)
  if (typeof source !== 'string') return unmeasured(source.reason)
  // Without a parser nothing can be measured at all; that is not this file's fault.
  await parsing(language)
  try {
    const measured = ask
      ? { file, lines: 0, functions: [], findings: await inspect(file, source, language, ask) }
      : await analyse(file, source, language)
    if (source.length > LARGE) forgetParsers()
    return isMarkedGenerated(source) ? { ...measured, generated: true } : measured
  } catch (error) {
    forgetParsers()
    return unmeasured(`The parser failed: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/** The text of a file, or why there is none. */
async function readSource({ path, source: given }: Target): Promise<string | { reason: string }> {
  let source = given
  try {
    if (source === undefined) {
      const { size } = await stat(path)
      if (size > LARGEST) return { reason: `Larger than ${LARGEST / 1024 / 1024} MB` }
      // A link that took the file's place would lead elsewhere.
      if ((await realpath(path)) !== path) return { reason: 'A link' }
      source = await readFile(path, 'utf8')
    }
  } catch (error) {
    return { reason: `Cannot be read: ${error instanceof Error && 'code' in error ? String(error.code) : 'unknown'}` }
  }
  return source.includes('\0') ? { reason: 'Not a text' } : source.replace(/^\uFEFF/, '')
}
