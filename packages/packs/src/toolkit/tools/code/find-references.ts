import { text, tool } from '@causeway/engine'
import type { Tool } from '@causeway/engine'
import { fileData } from '../../../support/file-data.ts'
import { qualified } from '../../analysis/symbols/definition.ts'
import type { Occurrence, Role } from '../../analysis/uses/occurrences.ts'
import { notRead, notReadNote } from '../../formats/not-read.ts'
import { PAGING, TOOLCHAIN, measure, paged } from '../analysis.ts'
import type { Bench, Measured } from '../analysis.ts'
import { SYMBOL_NAME, qualifiedName } from '../symbol-name.ts'
import { narrow, sourceLines, sourced } from './narrow.ts'
import type { Narrowed } from './narrow.ts'

const KINDS = ['calls', 'uses', 'imports', 'comments', 'strings'] as const
type Kind = (typeof KINDS)[number]

interface Reference {
  readonly file: string
  readonly line: number
  readonly column: number
  readonly kind: Kind
  readonly text: string
  /** The function or type that it stands in. */
  readonly within?: string
}

const KIND_OF: Readonly<Partial<Record<Role, Kind>>> = {
  call: 'calls',
  use: 'uses',
  key: 'uses',
  local: 'uses',
  import: 'imports',
  comment: 'comments',
  string: 'strings',
}

/** Finds every use of a name. */
export const findReferences = (bench: Bench): Tool =>
  tool(
    {
      name: 'find_references',
      task: 'optional',
      use: fileData,
      title: 'Find References',
      description:
        'Find every use of a name, with the function that it stands in: calls, other uses and imports told apart, ' +
        'mentions in comments and strings on request. By type where a language server is installed, else by name.',
      readOnly: true,
      openWorld: false,
      input: {
        type: 'object',
        properties: {
          name: SYMBOL_NAME,
          path: { type: 'string', minLength: 1, default: '.', description: 'Directory or file to look in' },
          kinds: {
            type: 'array',
            items: { type: 'string', enum: KINDS },
            minItems: 1,
            default: ['calls', 'uses', 'imports'],
            description: 'What to list; everything is counted',
          },
          toolchain: TOOLCHAIN,
          ...PAGING,
        },
        required: ['name'],
        additionalProperties: false,
      },
    },
    async ({ name, path, kinds, toolchain, limit, offset }, ctx) => {
      const asked = qualifiedName(name)
      const subject = { project_path: path, argument: 'path', ...(toolchain !== undefined && { toolchain }) }
      const read = await measure(bench, { ...subject, ask: { find: asked.name } }, ctx)
      const found = await narrow(bench, read, { ...asked, path }, ctx)
      const all = referencesIn(found)
      const counts = Object.fromEntries(KINDS.map(kind => [kind, all.filter(one => one.kind === kind).length]))
      const wanted = KINDS.filter(kind => kinds.includes(kind)).flatMap(kind => all.filter(one => one.kind === kind))
      return answer(found, { wanted, counts, name, read: read.files.length, limit, offset })
    },
  )

interface Showing {
  readonly wanted: readonly Reference[]
  readonly counts: Readonly<Record<string, number>>
  readonly name: string
  /** How many files were read. */
  readonly read: number
  readonly limit: number
  readonly offset: number
}

function answer(found: Narrowed, { wanted, counts, name, read, ...page }: Showing): object {
  const { items, ...rest } = paged(wanted, page)
  const more = rest.next === undefined ? [] : [`${rest.total - rest.next} more: offset ${rest.next}`]
  const heading = `'${name}': ${KINDS.map(kind => `${counts[kind]} ${kind}`).join(', ')} in ${read} files read.`
  return {
    content: [text([heading, ...items.map(shown), ...more, ...sourceLines(found), ...notReadNote(found)].join('\n'))],
    structuredContent: {
      summary: { ...counts, files_read: read },
      ...rest,
      references: items,
      ...sourced(found),
      ...notRead(found),
    },
  }
}

const shown = ({ file, line, kind, text: code, within }: Reference): string =>
  `${file}:${line}: ${kind.slice(0, -1)}${within === undefined ? '' : ` in ${within}`}: ${code}`

function referencesIn({ files }: Measured): Reference[] {
  return files.flatMap(({ file, findings }) =>
    (findings?.occurrences?.places ?? []).flatMap(place => {
      const kind = KIND_OF[place.role]
      return kind === undefined ? [] : [reference(file, place, kind)]
    }),
  )
}

const reference = (file: string, { line, column, text: code, within }: Occurrence, kind: Kind): Reference => ({
  file,
  line,
  column,
  kind,
  text: code,
  ...(within && { within: qualified(within) }),
})
