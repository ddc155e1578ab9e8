import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { fault, text, tool } from '@causeway/engine'
import type { Context, Tool } from '@causeway/engine'
import { firstNames } from '../../../support/first-names.ts'
import { fileData } from '../../../support/file-data.ts'
import { shown as shownPath } from '../../../support/files/shown.ts'
import { inRepository } from '../../../support/git/repository.ts'
import { quote } from '../../../support/quote.ts'
import { languageOf } from '../../analysis/parse/grammar.ts'
import { diagnose } from '../../servers/diagnose.ts'
import { SEVERITIES } from '../../servers/diagnostics.ts'
import type { Diagnostic, Severity } from '../../servers/diagnostics.ts'
import type { ServerKind } from '../../servers/kinds.ts'
import type { LanguageServers } from '../../servers/language-servers.ts'
import { PAGING, paged } from '../analysis.ts'
import type { Bench } from '../analysis.ts'

interface Found extends Diagnostic {
  readonly file: string
}

/** What was looked at, and what was not. */
interface Checked {
  readonly found: readonly Found[]
  readonly files: number
  readonly sources: readonly string[]
  /** Files that were not checked, and why. */
  readonly unchecked: readonly string[]
}

const MOST_FILES = 100
const MOST_NAMED = 5

/** Says what language servers find wrong with code. */
export const diagnoseCode = (bench: Bench & { readonly servers: LanguageServers }): Tool =>
  tool(
    {
      name: 'diagnose',
      task: 'optional',
      use: fileData,
      title: 'Diagnose Code',
      description:
        'List compiler and type errors and warnings of a file, or of the files that changed since the last commit, ' +
        'from an installed language server. Builds and runs nothing.',
      readOnly: true,
      openWorld: false,
      input: {
        type: 'object',
        properties: {
          path: { type: 'string', minLength: 1, default: '.', description: 'File or directory to check' },
          files: {
            type: 'string',
            enum: ['changed', 'all'],
            default: 'changed',
            description: 'Of a directory: only files that changed since the last commit, or all',
          },
          severity: {
            type: 'string',
            enum: SEVERITIES,
            default: 'warning',
            description: 'The least severe to list',
          },
          ...PAGING,
        },
        additionalProperties: false,
      },
    },
    async ({ path, files, severity, limit, offset }, ctx) => {
      const wanted = await wantedFiles(bench, { path, which: files === 'all' ? 'all' : 'changed' }, ctx)
      const checked = await check(bench, wanted, ctx)
      if (checked.sources.length === 0 && checked.unchecked.length > 0)
        throw fault('tool-failed', `Nothing was checked: ${checked.unchecked.join('; ')}.`)
      return answer(checked, { path, severity, limit, offset, given: wanted.length })
    },
  )

interface Asked {
  readonly path: string
  readonly which: 'changed' | 'all'
}

/** The real paths of the source files that are asked about. */
async function wantedFiles(bench: Bench, { path, which }: Asked, ctx: Context): Promise<string[]> {
  const { jail, pool } = bench
  const real = await jail.resolve(path)
  const state = await stat(real).catch(() => undefined)
  if (state?.isFile()) return [real]
  if (!state?.isDirectory())
    throw fault('invalid-arguments', `Parameter 'path' must be a file or directory, got ${quote(path)}`)
  if (which === 'changed') return changedFiles(bench, path, real, ctx)
  const { root } = jail.below(real)
  const below = jail.below(real).path
  const { files } = await pool.find({ top: root, below }, { signal: ctx.signal, client: ctx.clientKey })
  return files.map(file => join(real, file))
}

const STATUS = ['status', '--porcelain', '-z', '--untracked-files=all', '--ignore-submodules=all', '--no-renames']

async function changedFiles({ jail, sandbox }: Bench, path: string, real: string, ctx: Context): Promise<string[]> {
  const entries = await inRepository(
    jail,
    { path },
    async repository => {
      const text = await repository.read(STATUS)
      return text.split('\0').flatMap(entry => (entry === '' ? [] : [join(repository.top, entry.slice(3))]))
    },
    { signal: ctx.signal, sandbox },
  ).catch((error: unknown) => {
    const words = error instanceof Error ? error.message : String(error)
    throw fault(
      'tool-failed',
      `What changed since the last commit is not known: ${words} Name a file, or pass files: all.`,
    )
  })
  const mine = entries.filter(entry => entry === real || entry.startsWith(`${real}/`))
  const states = await Promise.all(mine.map(entry => stat(entry).catch(() => undefined)))
  return mine.filter((_, i) => states[i]?.isFile())
}

/** Ask the server of each language about its files. */
async function check(
  { servers, jail }: Bench & { readonly servers: LanguageServers },
  wanted: readonly string[],
  ctx: Context,
): Promise<Checked> {
  const groups = new Map<ServerKind, string[]>()
  for (const file of wanted) {
    const kind = servers.kindOf(languageOf(file))
    if (kind) groups.set(kind, [...(groups.get(kind) ?? []), file])
  }
  const found: Found[] = []
  const sources: string[] = []
  const unchecked: string[] = []
  let files = 0
  for (const [kind, all] of groups) {
    const some = all.slice(0, MOST_FILES)
    if (all.length > some.length)
      unchecked.push(`${all.length - some.length} more ${kind.name} files: name a directory`)
    const { root } = jail.below(some[0] ?? '')
    const served = await servers.use(kind, root, ctx, desk => diagnose(desk, some, () => ctx.progress(++files)))
    if ('why' in served) {
      unchecked.push(
        `${some.length} ${kind.languages[0]} ${some.length === 1 ? 'file' : 'files'}: ${served.why.replace(/\.$/, '')}`,
      )
      continue
    }
    sources.push(served.source)
    const silent = served.made.filter(one => one.silent)
    if (silent.length > 0)
      unchecked.push(`${names(silent.map(({ path }) => shownPath(jail, path)))}: no answer in time`)
    for (const { path, diagnostics } of served.made) {
      const file = { file: shownPath(jail, path) }
      found.push(...diagnostics.map(one => Object.assign({}, file, one)))
    }
  }
  return { found, files, sources, unchecked }
}

const names = (all: readonly string[]): string => firstNames(all, MOST_NAMED)

interface Showing {
  readonly path: string
  readonly severity: Severity
  readonly limit: number
  readonly offset: number
  readonly given: number
}

function answer({ found, files, sources, unchecked }: Checked, showing: Showing): object {
  const { path, severity, given } = showing
  const least = SEVERITIES.indexOf(severity)
  const counts = Object.fromEntries(SEVERITIES.map(one => [one, found.filter(({ severity: s }) => s === one).length]))
  const wanted = found
    .filter(one => SEVERITIES.indexOf(one.severity) <= least)
    .sort((a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity))
  const { items, ...page } = paged(wanted, showing)
  const heading =
    given === 0
      ? `No source files below ${quote(path)} changed since the last commit.`
      : `${counts.error} errors, ${counts.warning} warnings in ${files} files checked.`
  const rest = page.next === undefined ? [] : [`${page.total - page.next} more: offset ${page.next}`]
  const left = unchecked.length === 0 ? [] : [`Not checked: ${unchecked.join('; ')}.`]
  const source = sources.join('; ')
  const from = source === '' ? [] : [`Source: ${source}.`]
  return {
    content: [text([heading, ...items.map(row), ...rest, ...left, ...from].join('\n'))],
    structuredContent: {
      summary: { ...counts, files_checked: files },
      ...page,
      diagnostics: items,
      ...(unchecked.length > 0 && { not_checked: unchecked }),
      source,
    },
  }
}

const row = ({ file, line, column, severity, message, code }: Found): string =>
  `${file}:${line}:${column}: ${severity}${code === undefined ? '' : ` ${code}`}: ${message}`
