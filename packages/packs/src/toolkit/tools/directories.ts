import { fault, tool } from '@causeway/engine'
import type { Context, Tool } from '@causeway/engine'
import { quote } from '../../support/quote.ts'
import { inRepository } from '../../support/git/repository.ts'
import { TOOLCHAINS, languageOf } from '../analysis/parse/grammar.ts'
import type { FileMetrics } from '../analysis/measure/metrics.ts'
import { measureFiles } from '../analysis/project.ts'
import { differingFiles, isRevision } from '../churn/revision.ts'
import { rollUp } from '../structure/rollup.ts'
import { PAGING, PROJECT_PATH, TOOLCHAIN, measure, paged } from './analysis.ts'
import type { Bench, Subject } from './analysis.ts'
import { notRead } from '../formats/not-read.ts'
import { fileData } from '../../support/file-data.ts'

const REVISION = { type: 'string', minLength: 1, maxLength: 200 } as const
const OBJECT_BYTES = 12 * 1024 * 1024

/** Sums up complexity by directory, and how it changed. */
export const analyzeDirectories = (bench: Bench): Tool =>
  tool(
    {
      name: 'analyze_directories',
      task: 'optional',
      use: fileData,
      title: 'Analyze Directories',
      description:
        'Sum up size and complexity by directory, the most complex first; with a revision, also what changed since then',
      readOnly: true,
      openWorld: false,
      input: {
        type: 'object',
        properties: {
          project_path: PROJECT_PATH,
          toolchain: TOOLCHAIN,
          depth: { type: 'integer', minimum: 0, maximum: 20, default: 2, description: 'How many levels to show' },
          from: { ...REVISION, description: 'Earlier revision to compare with, such as v1.0 or HEAD~50' },
          to: { ...REVISION, description: 'Later revision; without one, the files as they are' },
          ...PAGING,
        },
        required: ['project_path'],
        additionalProperties: false,
      },
    },
    async ({ depth, from, to, limit, offset, ...subject }, ctx) => {
      const found = await measure(bench, subject, ctx)
      const here = found.files.map(one => Object.assign({}, one, { file: `./${one.file.slice(found.prefix.length)}` }))
      const now = to === undefined ? here : await measureAt(bench, { subject, here, revision: to, argument: 'to' }, ctx)
      const before =
        from === undefined
          ? undefined
          : await measureAt(bench, { subject, here, revision: from, argument: 'from' }, ctx)
      const { items, ...page } = paged(rollUp(now, depth, before), { limit, offset })
      const named = (directory: string): string =>
        (found.prefix + (directory === '.' ? '' : directory)).replace(/(?<=.)\/$/, '') || '.'
      const directories = items.map(one => Object.assign({}, one, { directory: named(one.directory) }))
      return { ...page, directories, ...notRead(found) }
    },
  )

interface Then {
  readonly subject: Subject
  /** What was measured of the files as they are. */
  readonly here: readonly FileMetrics[]
  readonly revision: string
  readonly argument: string
}

/** The figures of another revision: those of now, but for the files that differ. */
async function measureAt(
  bench: Bench,
  { subject, here, revision, argument }: Then,
  ctx: Context,
): Promise<FileMetrics[]> {
  if (!isRevision(revision)) {
    throw fault(
      'invalid-arguments',
      `Parameter '${argument}' must be a revision, such as main, v1.0 or HEAD~10, got ${quote(revision)}`,
    )
  }
  const languages = subject.toolchain === undefined ? undefined : TOOLCHAINS[subject.toolchain]
  const isWanted = (path: string): boolean => {
    const language = languageOf(path)
    return language !== undefined && (languages?.includes(language) ?? true)
  }
  const { sources } = await inRepository(
    bench.jail,
    { path: subject.project_path, argument: 'project_path' },
    repository => differingFiles(repository, revision, isWanted),
    { signal: ctx.signal, keep: OBJECT_BYTES, sandbox: bench.sandbox },
  )
  const targets = [...sources].flatMap(([path, source]) =>
    source === undefined ? [] : [{ path, top: path, file: `./${path}`, source }],
  )
  const measured = await measureFiles(targets, { pool: bench.pool, signal: ctx.signal, client: ctx.clientKey })
  return [...here.filter(({ file }) => !sources.has(file.slice(2))), ...measured]
}
