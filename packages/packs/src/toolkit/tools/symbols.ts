import { fault, text, tool } from '@causeway/engine'
import type { Tool } from '@causeway/engine'
import type { Definition } from '../analysis/symbols/definition.ts'
import { PAGING, PROJECT_PATH, TOOLCHAIN, measure, paged } from './analysis.ts'
import type { Bench } from './analysis.ts'
import { fileData } from '../../support/file-data.ts'

/** Lists what a file defines. */
export const outline = (bench: Bench): Tool =>
  tool(
    {
      name: 'outline',
      use: fileData,
      title: 'Outline',
      description: 'List what a source file defines (functions, classes, types, constants) with their lines',
      readOnly: true,
      openWorld: false,
      input: {
        type: 'object',
        properties: {
          path: { type: 'string', minLength: 1, description: 'The file' },
          ...PAGING,
          limit: { ...PAGING.limit, default: 200 },
        },
        required: ['path'],
        additionalProperties: false,
      },
    },
    async ({ path, limit, offset }, ctx) => {
      const [found] = await measure(bench, { project_path: path, argument: 'path', ask: 'symbols' }, ctx)
      if (found?.fault) throw fault('tool-failed', `${path} cannot be read: ${found.fault.reason}`)
      const { items, ...page } = paged(found?.findings?.definitions ?? [], { limit, offset })
      const definitions = items.map(({ at: _, depth: _depth, uses: _uses, ...shown }) => shown)
      const rest = page.next === undefined ? [] : [`${page.total - page.next} more: offset ${page.next}`]
      const rows = [...items.map(outlined), ...rest]
      return {
        content: [text(rows.length === 0 ? 'Nothing is defined here.' : rows.join('\n'))],
        structuredContent: { ...page, definitions },
      }
    },
  )

function outlined({ name, kind, line, end_line, depth, exported }: Definition): string {
  return `${'  '.repeat(depth)}${line}-${end_line} ${kind} ${name}${exported ? ' (exported)' : ''}`
}

interface Place {
  readonly file: string
  readonly line: number
  readonly text: string
  readonly kind: string | undefined
  readonly container: string | undefined
}

const WHICH = ['definitions', 'references', 'all'] as const

/** Finds where a name is defined and used. */
export const findSymbol = (bench: Bench): Tool =>
  tool(
    {
      name: 'find_symbol',
      task: 'optional',
      use: fileData,
      title: 'Find Symbol',
      description:
        'Find where a name is defined and used in the code of a directory, comments and strings left out; by name, not by type',
      readOnly: true,
      openWorld: false,
      input: {
        type: 'object',
        properties: {
          name: {
            type: 'string',
            minLength: 1,
            maxLength: 200,
            pattern: String.raw`^[\p{L}_$@#~][\p{L}\p{N}_$!?=]*$`,
            description: 'The bare name, such as parse: no dots, no brackets',
          },
          project_path: { ...PROJECT_PATH, description: 'Directory or file to look in', default: '.' },
          which: { type: 'string', enum: WHICH, default: 'all', description: 'Definitions, references, or all' },
          toolchain: TOOLCHAIN,
          ...PAGING,
        },
        required: ['name'],
        additionalProperties: false,
      },
    },
    async ({ name, project_path, which, toolchain, limit, offset }, ctx) => {
      const subject = { project_path, ...(toolchain !== undefined && { toolchain }), ask: { find: name } }
      const found = await measure(bench, subject, ctx)
      const places = found.flatMap(({ file, findings }) =>
        (findings?.occurrences ?? []).map(({ line, text: code, kind, container }): Place => {
          return { file, line, text: code, kind, container }
        }),
      )
      const definitions = places.filter(({ kind }) => kind !== undefined)
      const references = onceEach(places.filter(({ kind }) => kind === undefined))
      const wanted = { definitions, references, all: [...definitions, ...references] }[which]
      const { items, ...page } = paged(wanted, { limit, offset })
      const summary = { definitions: definitions.length, references: references.length, files_read: found.length }
      return {
        content: [text(described(name, items, { ...summary, ...page }))],
        structuredContent: { summary, ...page, places: items },
      }
    },
  )

/** A line that has the name twice is one place to look at. */
function onceEach(places: readonly Place[]): Place[] {
  const byLine = new Map(places.map(place => [`${place.file}:${place.line}`, place]))
  return [...byLine.values()]
}

interface Counts {
  readonly definitions: number
  readonly references: number
  readonly files_read: number
  readonly total: number
  readonly next?: number
}

function described(name: string, places: readonly Place[], counts: Counts): string {
  const { definitions, references, files_read, total, next } = counts
  if (definitions + references === 0) return `'${name}' does not occur in the code of ${files_read} files.`
  const rows = places.map(({ file, line, kind, text: code }) => `${file}:${line}: ${kind ? `[${kind}] ` : ''}${code}`)
  const rest = next === undefined ? [] : [`${total - next} more: offset ${next}`]
  return [`${definitions} definitions, ${references} references of '${name}'.`, ...rows, ...rest].join('\n')
}
