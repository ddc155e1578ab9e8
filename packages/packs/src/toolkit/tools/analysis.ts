import { fault } from '@causeway/engine'
import type { Context } from '@causeway/engine'
import { stat } from 'node:fs/promises'
import { basename, dirname, isAbsolute, relative, sep } from 'node:path'
import { quote } from '../../support/quote.ts'
import { inRepository } from '../../support/git/repository.ts'
import { nothingAt } from '../../support/files/errno.ts'
import type { Jail } from '../../support/files/jail.ts'
import { TOOLCHAINS, extensionsOf, languageOf } from '../analysis/parse/grammar.ts'
import type { Language } from '../analysis/parse/grammar.ts'
import type { Ask } from '../analysis/inspect.ts'
import type { FileMetrics } from '../analysis/measure/metrics.ts'
import { generatedBy, originOf } from '../analysis/parse/maintained.ts'
import type { Pool } from '../analysis/pool.ts'
import { measureFiles, measureProject } from '../analysis/project.ts'
import { churn } from '../churn/churn.ts'
import type { LanguageServers } from '../servers/language-servers.ts'
import { readBeside } from './manifest.ts'
import type { Churn } from '../churn/churn.ts'
import { readHistory } from '../churn/history.ts'
import type { History } from '../churn/history.ts'

/** What the tools that look at code share. */
export interface Bench {
  readonly jail: Jail
  readonly pool: Pool
  /** Run git in a sandbox. */
  readonly sandbox?: boolean | undefined
  /** Who made a report. */
  readonly server: { readonly name: string; readonly version: string }
  /** Language servers, where they may be used. */
  readonly servers?: LanguageServers | undefined
  /** Only what the documents have: paths begin at the project that is asked about. */
  readonly documented?: boolean | undefined
}

/** What was found out about a project. */
export interface Measured {
  readonly files: readonly FileMetrics[]
  /** What stands in front of the paths of files, which are shown as `read_file` takes them. */
  readonly prefix: string
  /** The real path of the root, and from there the way to what was asked about. */
  readonly root: string
  readonly below: string
  /** It was one file that was asked about. */
  readonly isFile: boolean
  /** Source files that no parser reads, by language. */
  readonly unread: Readonly<Record<string, number>>
}

/** Which code to look at. */
export interface Subject {
  readonly project_path: string
  /** What the path is called among the arguments, if not so. */
  readonly argument?: string
  readonly toolchain?: string
  readonly include?: readonly string[]
  readonly exclude?: readonly string[]
  /** What to find out about the files, instead of measuring them. */
  readonly ask?: Ask
}

/** The argument every such tool has. */
export const PROJECT_PATH = {
  type: 'string',
  minLength: 1,
  description: 'Path to analyze: a directory or a file',
} as const
/** The argument of tools that look at every language by default. */
export const TOOLCHAIN: { readonly type: 'string'; readonly enum: readonly string[]; readonly description: string } = {
  type: 'string',
  enum: Object.keys(TOOLCHAINS),
  description: 'Project toolchain; without one, every language',
}
/** Which part of a long list to return. */
export const PAGING = {
  limit: { type: 'integer', minimum: 1, maximum: 1000, default: 50, description: 'How many to return' },
  offset: { type: 'integer', minimum: 0, maximum: 1_000_000, default: 0, description: 'How many to skip' },
} as const

/** One page of a list, and how to get the next. */
export function paged<T>(
  list: readonly T[],
  { limit, offset }: { limit: number; offset: number },
): { total: number; items: readonly T[]; next?: number } {
  const items = list.slice(offset, offset + limit)
  const end = offset + items.length
  return { total: list.length, items, ...(end < list.length && items.length > 0 && { next: end }) }
}

/** How far back to look. */
export const PERIOD_DAYS = {
  type: 'number',
  minimum: 1,
  maximum: 36_500,
  default: 30,
  description: 'Days to analyze (default: 30)',
} as const

const DAY_MS = 24 * 60 * 60 * 1000
// What git may write about the history of one period.
const MOST_BYTES = 256 * 1024 * 1024

/** Measure the code of a project, or one file of it, telling how far it is. */
export async function measure(bench: Bench, subject: Subject, ctx: Context): Promise<Measured> {
  const { jail, pool, documented = false } = bench
  const { project_path, toolchain, include, exclude, ask } = subject
  const { real, isFile } = await place(jail, project_path, subject.argument)
  const languages = toolchain === undefined ? undefined : TOOLCHAINS[toolchain]
  const { root: top, path } = jail.below(real)
  const at = { root: top, below: isFile ? dirname(`/${path}`).slice(1) : path, isFile }
  const options = {
    top,
    pool,
    ask,
    signal: ctx.signal,
    client: ctx.clientKey,
    progress: (done: number, total: number) => ctx.progress(done, `${done} of ${total} files analysed`, total),
  }
  const prefix = documented ? './' : prefixOf(jail, isFile ? dirname(real) : real)
  if (!isFile) {
    const project = { ...options, languages, include, exclude, mayBeEmpty: !documented }
    const { files, unread } = await measureProject(real, project)
    const isGenerated = await attributesOf(bench, top, real)
    return {
      files: files.map(file => named(file, prefix, isGenerated)),
      prefix,
      ...at,
      unread: documented ? {} : unread,
    }
  }
  const file = `./${basename(real)}`
  const language = languageOf(file)
  if (!language || languages?.includes(language) === false) throw wrongLanguage(subject, language)
  const files = await measureFiles([{ path: real, top, file, ask }], options)
  return { files: files.map(one => named(one, prefix)), prefix, ...at, unread: {} }
}

/** The way from the first root to a directory; whole, if the directory is in another root. */
export function prefixOf({ roots: [first = ''] }: Jail, directory: string): string {
  const way = relative(first, directory)
  if (way === '') return ''
  const isOutside = way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way)
  return `${(isOutside ? directory : way).split(sep).join('/')}/`
}

/** Which files of a project the attributes of its repository call generated: those of the root and its own. */
async function attributesOf({ jail }: Bench, top: string, real: string): Promise<(file: string) => boolean> {
  const below = relative(top, real).split(sep).join('/')
  const ofTop = generatedBy(await readBeside(jail, top, '.gitattributes'))
  const own = below === '' ? ofTop : generatedBy(await readBeside(jail, real, '.gitattributes'))
  return file => own(file) || ofTop(below === '' ? file : `${below}/${file}`)
}

/** What it is, by its place in the project; then it gets the name that everybody knows it by. */
function named(found: FileMetrics, prefix: string, isGenerated: (file: string) => boolean = () => false): FileMetrics {
  const origin = isGenerated(found.file.replace(/^\.\//, '')) ? 'generated' : originOf(found.file, found)
  const file = prefix + found.file.replace(/^\.\//, '')
  return { ...found, file, origin, ...(found.fault && { fault: { ...found.fault, file } }) }
}

function wrongLanguage(
  { project_path: path, toolchain, argument = 'project_path' }: Subject,
  language?: Language,
): Error {
  const what = language ? `is ${language}` : 'is in no language that is measured'
  const fits = Object.keys(TOOLCHAINS).filter(name => language && TOOLCHAINS[name]?.includes(language))
  const next = fits.length > 0 ? `use toolchain ${fits.join(' or ')}` : `known endings: ${extensionsOf().join(' ')}`
  const asked = toolchain === undefined ? '' : `, not ${toolchain}`
  return fault('invalid-arguments', `Parameter '${argument}': ${quote(path)} ${what}${asked}; ${next}`)
}

async function place(jail: Jail, path: string, argument = 'project_path'): Promise<{ real: string; isFile: boolean }> {
  const real = await jail.resolve(path, argument)
  const found = await stat(real).catch(() => undefined)
  if (found?.isDirectory() || found?.isFile()) return { real, isFile: found.isFile() }
  const what = found ? 'is neither a file nor a directory' : 'does not exist'
  throw nothingAt(path, fault('invalid-arguments', `Parameter '${argument}' ${what}, got ${quote(path)}`))
}

/** Read the history of a project, or of one file of it. */
export async function historyOf(
  { jail, sandbox, documented }: Bench,
  path: string,
  days: number,
  signal: AbortSignal,
): Promise<{ readonly history: History; readonly only: string | undefined; readonly as: string }> {
  const { real, isFile } = await place(jail, path)
  const since = new Date(Date.now() - days * DAY_MS)
  const asked = { path: isFile ? dirname(real) : path, argument: 'project_path' }
  const options = { signal, keep: MOST_BYTES, sandbox }
  const history = await inRepository(jail, asked, repository => readHistory(repository, since), options)
  const as = documented ? '' : prefixOf(jail, isFile ? dirname(real) : real)
  return { history, only: isFile ? basename(real) : undefined, as }
}

/** How much a project, or one file of it, changed. */
export async function changes(bench: Bench, path: string, days: number, signal: AbortSignal): Promise<Churn> {
  const { history, only, as } = await historyOf(bench, path, days, signal)
  return churn(history, { periodDays: days, as, ...(only !== undefined && { only }) })
}
