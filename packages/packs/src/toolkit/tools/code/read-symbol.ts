import { text, tool } from '@causeway/engine'
import type { Context, Tool } from '@causeway/engine'
import { fileData } from '../../../support/file-data.ts'
import { languageOf } from '../../analysis/parse/grammar.ts'
import { qualified } from '../../analysis/symbols/definition.ts'
import type { Definition } from '../../analysis/symbols/definition.ts'
import { typeAt } from '../../servers/hover.ts'
import type { Bench } from '../analysis.ts'
import { SYMBOL_NAME } from '../symbol-name.ts'
import { WHICH, none, pickAll } from './pick.ts'
import type { Picked } from './pick.ts'

const MOST_WHOLE = 5

/** Shows the code of one definition. */
export const readSymbol = (bench: Bench): Tool =>
  tool(
    {
      name: 'read_symbol',
      use: fileData,
      title: 'Read Symbol',
      description:
        'Read the code of one function, class or other definition by its name, with its comment and decorators; ' +
        'signatures: only what is in it. The text can be given to replace_symbol.',
      readOnly: true,
      openWorld: false,
      input: {
        type: 'object',
        properties: {
          name: SYMBOL_NAME,
          ...WHICH,
          signatures: { type: 'boolean', default: false, description: 'Of a class: its members without their code' },
          type: { type: 'boolean', default: false, description: 'Also its type, from a language server' },
        },
        required: ['name'],
        additionalProperties: false,
      },
    },
    async ({ name, path, line, signatures, type }, ctx) => {
      const which = { name, path, line }
      const { picked, found } = await pickAll(bench, which, ctx)
      if (picked.length === 0) throw await none(bench, which, ctx, found)
      const whole = picked.slice(0, MOST_WHOLE)
      const types = type ? await typesOf(bench, whole, ctx) : []
      const symbols = whole.map((one, i) => Object.assign(shownSymbol(one, signatures), types[i]))
      const others = picked.slice(MOST_WHOLE).map(one => `${headed(one)}: not shown`)
      const blocks = symbols.map((symbol, i) => [headed(picked[i]!), ...typeRows(types[i]), symbol.text].join('\n'))
      return {
        content: [text([...blocks, ...others].join('\n\n'))],
        structuredContent: { total: picked.length, symbols },
      }
    },
  )

/** What a definition is, and who says so. */
interface Typed {
  readonly type?: string
  readonly source: string
}

async function typesOf({ servers, jail }: Bench, picked: readonly Picked[], ctx: Context): Promise<Typed[]> {
  const types: Typed[] = []
  for (const { file, extent } of picked) {
    const kind = servers?.kindOf(languageOf(file))
    const path = await jail.resolve(file)
    const { name, at } = extent.definition
    const served =
      kind && (await servers?.use(kind, jail.below(path).root, ctx, desk => typeAt(desk, { path, name, at })))
    if (!served) types.push({ source: 'no language server for this language' })
    else if ('why' in served) types.push({ source: `no language server: ${served.why}` })
    else types.push({ ...(served.made !== undefined && { type: served.made }), source: served.source })
  }
  return types
}

const typeRows = (typed: Typed | undefined): string[] =>
  typed ? [`Type: ${typed.type ?? 'not known'}`, `Source: ${typed.source.replace(/\.?$/, '.')}`] : []

const headed = ({ file, extent: { line, end_line, definition } }: Picked): string =>
  `${file}:${line}-${end_line} ${definition.kind} ${qualified(definition)}`

interface Shown {
  readonly path: string
  readonly line: number
  readonly end_line: number
  readonly kind: string
  readonly name: string
  readonly signature?: string
  readonly text: string
}

function shownSymbol({ file, source, extent }: Picked, signatures: boolean): Shown {
  const { definition, line, end_line, members } = extent
  const whole = signatures && members.length > 0 ? signaturesOf(source, definition, members) : extent.text
  const { kind, signature } = definition
  return { path: file, line, end_line, kind, name: qualified(definition), ...(signature && { signature }), text: whole }
}

/** The head of a class, and the first lines of what is in it. */
function signaturesOf(source: string, definition: Definition, members: readonly Definition[]): string {
  const head = source.slice(
    source.lastIndexOf('\n', definition.at) + 1,
    source.indexOf('\n', definition.at) + 1 || undefined,
  )
  const rows = members.map(
    ({ kind, name, line, end_line, signature = '' }) => `  ${line}-${end_line} ${kind} ${name}${signature}`,
  )
  return [head.trimEnd(), ...rows].join('\n')
}
