import { text, tool } from '@causeway/engine'
import type { Tool } from '@causeway/engine'
import { fileData } from '../../support/file-data.ts'
import type { Occurrence, Role } from '../analysis/uses/occurrences.ts'
import { notRead, notReadNote } from '../formats/not-read.ts'
import { PAGING, PROJECT_PATH, TOOLCHAIN, measure, paged } from './analysis.ts'
import type { Bench, Measured } from './analysis.ts'
import { byParser, narrow, sourceLines, sourced } from './code/narrow.ts'
import { SYMBOL_NAME, isNamed, qualifiedName } from './symbol-name.ts'

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
        'Find where a name is defined and used in code, comments and strings left out: definitions first, imports last. ' +
        'By type where a language server is installed, else by name; Type.name finds the definitions in one type.',
      readOnly: true,
      openWorld: false,
      input: {
        type: 'object',
        properties: {
          name: SYMBOL_NAME,
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
      const asked = qualifiedName(name)
      const subject = { project_path, ...(toolchain !== undefined && { toolchain }), ask: { find: asked.name } }
      const read = await measure(bench, subject, ctx)
      const found =
        which === 'definitions' ? byParser(read) : await narrow(bench, read, { ...asked, path: project_path }, ctx)
      const { definitions, references } = placesIn(found, asked.container)
      const wanted = { definitions, references, all: [...definitions, ...references] }[which]
      const { items, ...page } = paged(wanted, { limit, offset })
      const summary = { definitions: definitions.length, references: references.length, files_read: read.files.length }
      const rows = described(name, items, { ...summary, ...page })
      return {
        content: [text([...rows, ...sourceLines(found), ...notReadNote(found)].join('\n'))],
        structuredContent: { summary, ...page, places: items, ...sourced(found), ...notRead(found) },
      }
    },
  )

/** Definitions, and references with those that only import last. */
function placesIn({ files }: Measured, container: string | undefined): { definitions: Place[]; references: Place[] } {
  const all = files.flatMap(({ file, findings }) =>
    (findings?.occurrences?.places ?? []).map(place => Object.assign({ file }, place)),
  )
  const of = (...roles: readonly Role[]): typeof all => all.filter(({ role }) => roles.includes(role))
  const definitions = of('definition').filter(({ definition }) => isNamed(definition, container))
  const isDefined = new Set(definitions.map(({ file, line }) => `${file}:${line}`))
  // `app.go = function go() {}` names itself.
  const locals = of('local').filter(({ file, line }) => !isDefined.has(`${file}:${line}`))
  const uses = new Set([...of('call', 'use', 'key'), ...locals])
  const references = [...all.filter(one => uses.has(one)), ...of('import')]
  return { definitions: definitions.map(placed), references: onceEach(references.map(placed)) }
}

const placed = ({ file, line, text: code, definition }: Occurrence & { readonly file: string }): Place => ({
  file,
  line,
  text: code,
  kind: definition?.kind,
  container: definition?.container,
})

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

function described(name: string, places: readonly Place[], counts: Counts): string[] {
  const { definitions, references, files_read, total, next } = counts
  if (definitions + references === 0) return [`'${name}' does not occur in the code of ${files_read} files.`]
  const rows = places.map(({ file, line, kind, text: code }) => `${file}:${line}: ${kind ? `[${kind}] ` : ''}${code}`)
  const rest = next === undefined ? [] : [`${total - next} more: offset ${next}`]
  return [`${definitions} definitions, ${references} references of '${name}'.`, ...rows, ...rest]
}
