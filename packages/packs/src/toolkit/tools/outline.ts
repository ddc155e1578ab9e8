import { fault, text, tool } from '@causeway/engine'
import type { Tool } from '@causeway/engine'
import { fileData } from '../../support/file-data.ts'
import type { FileMetrics } from '../analysis/measure/metrics.ts'
import { isMinor, shownDefinition } from '../analysis/symbols/definition.ts'
import type { Definition } from '../analysis/symbols/definition.ts'
import { notRead, notReadNote } from '../formats/not-read.ts'
import { PAGING, measure, paged } from './analysis.ts'
import type { Bench, Measured } from './analysis.ts'

const MOST_FAULTS = 5

/** Lists what a file defines, or what the files of a directory do. */
export const outline = (bench: Bench): Tool =>
  tool(
    {
      name: 'outline',
      use: fileData,
      title: 'Outline',
      description:
        'List what a source file defines (functions, classes, members, types, constants) with lines; of a directory, ' +
        'what its files define at the top',
      readOnly: true,
      openWorld: false,
      input: {
        type: 'object',
        properties: {
          path: { type: 'string', minLength: 1, description: 'The file or directory' },
          ...PAGING,
          limit: { ...PAGING.limit, default: 200 },
        },
        required: ['path'],
        additionalProperties: false,
      },
    },
    async ({ path, limit, offset }, ctx) => {
      const found = await measure(bench, { project_path: path, argument: 'path', ask: 'symbols' }, ctx)
      const [only] = found.files
      const isFile = found.files.length === 1 && Boolean(only && only.file.endsWith(lastOf(path)))
      if (isFile && only?.fault) throw fault('tool-failed', `${path} cannot be read: ${only.fault.reason}`)
      return isFile ? ofFile(only?.findings?.definitions ?? [], { limit, offset }) : ofFiles(found, { limit, offset })
    },
  )

const lastOf = (path: string): string => path.replace(/\/+$/, '').slice(path.lastIndexOf('/') + 1)

interface Page {
  readonly limit: number
  readonly offset: number
}

type Answer = { content: ReturnType<typeof text>[]; structuredContent: object }

function ofFile(all: readonly Definition[], page: Page): Answer {
  // What it takes from others is the least of what it has.
  const isImport = ({ kind }: Definition): boolean => kind === 'import'
  const { items, ...rest } = paged([...all.filter(one => !isImport(one)), ...all.filter(isImport)], page)
  const definitions = items.map(shownDefinition)
  const rows = [...rowsOf(items), ...onward(rest)]
  return {
    content: [text(rows.length === 0 ? 'Nothing is defined here.' : rows.join('\n'))],
    structuredContent: { ...rest, definitions },
  }
}

function ofFiles(found: Measured, page: Page): Answer {
  const all = found.files.flatMap(({ file, findings }) =>
    (findings?.definitions ?? [])
      .filter(({ depth, kind }) => depth === 0 && kind !== 'import')
      .map(definition => ({ file, definition })),
  )
  const { items, ...rest } = paged(all, page)
  const rows = items.flatMap(({ file, definition }, i) => [
    ...(items[i - 1]?.file === file ? [] : [file]),
    `  ${outlined(definition)}`,
  ])
  const notes = [...notReadNote(found), ...faultsOf(found.files)]
  const definitions = items.map(({ file, definition }) => {
    return Object.assign({ file }, shownDefinition(definition))
  })
  return {
    content: [
      text([...(rows.length === 0 ? ['Nothing is defined here.'] : rows), ...onward(rest), ...notes].join('\n')),
    ],
    structuredContent: { summary: { files_read: found.files.length }, ...rest, definitions, ...notRead(found) },
  }
}

function faultsOf(files: readonly FileMetrics[]): string[] {
  const faults = files.flatMap(({ fault: one }) => one ?? [])
  const named = faults.slice(0, MOST_FAULTS).map(({ file, reason }) => `${file} (${reason})`)
  return faults.length === 0 ? [] : [`Not read: ${named.join(', ')}${faults.length > MOST_FAULTS ? ' and more' : ''}.`]
}

const onward = ({ total, next }: { total: number; next?: number }): string[] =>
  next === undefined ? [] : [`${total - next} more: offset ${next}`]

/** One line for each definition, but one for all fields in a row: `fields size (3), open (4)`. */
function rowsOf(items: readonly Definition[]): string[] {
  const rows: string[] = []
  for (let i = 0; i < items.length;) {
    const first = items[i]!
    let end = i + 1
    while (isAlike(first, items[end])) end += 1
    const run = items.slice(i, end)
    rows.push('  '.repeat(first.depth) + (run.length > 1 ? together(run) : outlined(first)))
    i = end
  }
  return rows
}

/** Values of one kind in a row, each on one line. */
const isAlike = (first: Definition, next: Definition | undefined): boolean =>
  isMinor(first.kind) &&
  first.line === first.end_line &&
  next?.kind === first.kind &&
  next.line === next.end_line &&
  next.container === first.container &&
  next.exported === first.exported

function together(run: readonly Definition[]): string {
  const [first] = run
  const last = run.at(-1)
  const names = run.map(({ name, line }) => (line === first?.line ? name : `${name} (${line})`)).join(', ')
  const kind = first?.kind.endsWith('y') ? `${first.kind.slice(0, -1)}ies` : `${first?.kind}s`
  return `${first?.line}-${last?.end_line} ${kind} ${names}${first?.exported ? ' (exported)' : ''}`
}

function outlined({ name, kind, line, end_line, owner, signature = '', exported }: Definition): string {
  const mark = exported ? ' (exported)' : ''
  if (kind === 'impl') return `${line}-${end_line} ${signature}${mark}`
  return `${line}-${end_line} ${kind} ${owner === undefined ? '' : `${owner}.`}${name}${signature}${mark}`
}
