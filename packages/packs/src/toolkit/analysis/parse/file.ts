import { basename, dirname, relative, sep } from 'node:path'
import { openBelow } from '../../../support/files/directory.ts'
import { codeOf } from '../../../support/files/errno.ts'
import { TooLargeError, readBoundedSync } from '../../../support/files/file.ts'
import { analyse } from '../measure/analyse.ts'
import { languageOf } from './grammar.ts'
import { inspect } from '../inspect.ts'
import type { Ask } from '../inspect.ts'
import { isMarkedGenerated } from './maintained.ts'
import type { FileMetrics } from '../measure/metrics.ts'
import { forgetParsers, parsing } from './parser.ts'

/** A file to measure: where it is, and what reports call it. */
export interface Target {
  /** The real path of the file, and of the directory that it must be in. */
  readonly path: string
  readonly top: string
  readonly file: string
  /** What it held at another time, if that is meant. */
  readonly source?: string | undefined
  /** What to find out about it, instead of measuring it. */
  readonly ask?: Ask | undefined
}

const LARGEST = 10 * 1024 * 1024
/** The memory that a parser took for a larger file it would keep for good. */
const LARGE = 1024 * 1024

/** Measure one file, or find out what was asked; what cannot be done is returned, not thrown. */
export async function measureFile(target: Target): Promise<FileMetrics> {
  const { file, ask } = target
  const unmeasured = (reason: string): FileMetrics => ({ file, lines: 0, functions: [], fault: { file, reason } })
  const language = languageOf(file)
  if (!language) return unmeasured('Not a language that is measured')
  const source = readSource(target)
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
function readSource({ top, path, source: given }: Target): string | { reason: string } {
  try {
    const source = given ?? read(top, path)
    return source.includes('\0') ? { reason: 'Not a text' } : source.replace(/^\uFEFF/, '')
  } catch (error) {
    return { reason: unreadable(error) }
  }
}

/** Each directory on the way is held open: a link that takes the place of one, or of the file, leads nowhere. */
function read(top: string, path: string): string {
  const directory = openBelow(top, relative(top, dirname(path)).split(sep).join('/'))
  try {
    return readBoundedSync(directory.at(basename(path)), LARGEST).toString()
  } finally {
    directory.close()
  }
}

function unreadable(error: unknown): string {
  const code = codeOf(error)
  if (code === 'ELOOP' || code === 'ENOTDIR') return 'A link'
  if (code !== undefined) return `Cannot be read: ${code}`
  return error instanceof TooLargeError ? `Larger than ${LARGEST / 1024 / 1024} MB` : 'Not a file'
}
