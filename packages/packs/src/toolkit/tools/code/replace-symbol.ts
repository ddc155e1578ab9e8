import { fault, text, tool } from '@causeway/engine'
import type { Context, Tool } from '@causeway/engine'
import type { Edits } from '../../../support/edits/edits.ts'
import { writeTogether } from '../../../support/edits/write-together.ts'
import { isMinor, qualified } from '../../analysis/symbols/definition.ts'
import { measureFiles } from '../../analysis/project.ts'
import type { Bench } from '../analysis.ts'
import { SYMBOL_NAME, qualifiedName } from '../symbol-name.ts'
import { WHICH, pickOne } from './pick.ts'
import type { Picked } from './pick.ts'

/** What the tools that write code need besides. */
export interface WritingBench extends Bench {
  readonly edits: Edits
}

const TEXT = { type: 'string', minLength: 1, maxLength: 1_000_000, 'x-audit': 'omit' } as const
const DRY_RUN = { type: 'boolean', default: false, description: 'Only show what would change' } as const
const COMMENT = /^\s*(?:\/\/|\/\*|#(?!\[|include|define|if|pragma|region)|--|"""|<!--|;;)/

/** Replaces the code of one definition. */
export const replaceSymbol = (bench: WritingBench): Tool =>
  tool(
    {
      name: 'replace_symbol',
      title: 'Replace Symbol',
      description:
        'Replace the code of one definition, as read_symbol shows it. If the new text begins with no comment, the old comment stays.',
      readOnly: false,
      destructive: true,
      idempotent: true,
      openWorld: false,
      input: {
        type: 'object',
        properties: {
          name: SYMBOL_NAME,
          ...WHICH,
          text: { ...TEXT, description: 'The new code, whole' },
          dry_run: DRY_RUN,
        },
        required: ['name', 'text'],
        additionalProperties: false,
      },
    },
    async ({ name, path, line, text: given, dry_run }, ctx) => {
      const picked = await pickOne(bench, { name, path, line }, ctx)
      const { source, extent } = picked
      const from = COMMENT.test(given) ? extent.from : extent.code
      const old = source.slice(from, extent.to)
      const made = fitted(given, { old, isWholeLine: atLineStart(source, from), newline: newlineOf(source) })
      const after = source.slice(0, from) + made + source.slice(extent.to)
      return write(bench, { picked, after, tool: 'replace_symbol', dryRun: dry_run }, ctx)
    },
  )

/** Puts code beside a definition. */
export const insertSymbol = (bench: WritingBench): Tool =>
  tool(
    {
      name: 'insert_symbol',
      title: 'Insert Symbol',
      description: 'Insert code before or after one definition, with its indentation',
      readOnly: false,
      destructive: false,
      idempotent: false,
      openWorld: false,
      input: {
        type: 'object',
        properties: {
          name: { ...SYMBOL_NAME, description: 'The definition that is there already' },
          ...WHICH,
          position: { type: 'string', enum: ['before', 'after'], default: 'after', description: 'Where to insert' },
          text: { ...TEXT, description: 'The code to insert' },
          dry_run: DRY_RUN,
        },
        required: ['name', 'text'],
        additionalProperties: false,
      },
    },
    async ({ name, path, line, position, text: given, dry_run }, ctx) => {
      const picked = await pickOne(bench, { name, path, line }, ctx)
      const { source, extent } = picked
      const newline = newlineOf(source)
      const end = lineEnd(source, extent.to)
      if (!atLineStart(source, extent.from) || source.slice(extent.to, end).trim() !== '')
        throw fault('tool-failed', `${qualified(extent.definition)} shares its line with other code: use edit_file.`)
      const old = source.slice(extent.from, extent.to)
      const made = fitted(given, { old, isWholeLine: true, newline })
      const gap = newline.repeat(gapOf(picked))
      const after =
        position === 'before'
          ? source.slice(0, extent.from) + made + gap + source.slice(extent.from)
          : source.slice(0, end) + gap + made + source.slice(end)
      return write(bench, { picked, after, tool: 'insert_symbol', dryRun: dry_run }, ctx)
    },
  )

const newlineOf = (source: string): string => (/\r\n/.test(source) ? '\r\n' : '\n')
const atLineStart = (source: string, at: number): boolean => at === 0 || source[at - 1] === '\n'

function lineEnd(source: string, at: number): number {
  const end = source.indexOf('\n', at)
  if (end < 0) return source.length
  return source[end - 1] === '\r' ? end - 1 : end
}

/** Lines between two definitions: two blank ones at the top of Python, none between values. */
function gapOf({ file, extent: { definition } }: Picked): number {
  if (isMinor(definition.kind)) return 1
  return file.endsWith('.py') && definition.depth === 0 ? 3 : 2
}

interface Fit {
  readonly old: string
  /** The old text begins with its indentation. */
  readonly isWholeLine: boolean
  readonly newline: string
}

/** New code with the indentation of the old one. */
function fitted(given: string, { old, isWholeLine, newline }: Fit): string {
  const lines = given
    .replace(/\r\n/g, '\n')
    .replace(/^\n+|\n+$/g, '')
    .split('\n')
  const [own = ''] = /^[ \t]*/.exec(lines[0] ?? '') ?? []
  const [wanted = ''] = isWholeLine ? (/^[ \t]*/.exec(old) ?? []) : []
  if (own === wanted) return lines.join(newline)
  const moved = lines.map(line => (line.startsWith(own) && line.trim() !== '' ? wanted + line.slice(own.length) : line))
  return moved.join(newline)
}

interface Writing {
  readonly picked: Picked
  readonly after: string
  readonly tool: string
  readonly dryRun: boolean
}

async function write(
  bench: WritingBench,
  { picked, after, tool: name, dryRun }: Writing,
  ctx: Context,
): Promise<object> {
  const { file, source } = picked
  const path = await bench.jail.resolve(file)
  const diff = await writeTogether(bench, [{ path, before: source, after }], { tool: name, dryRun }, ctx)
  const note = await faultNote(bench, { path, picked, after }, ctx)
  return { content: [text(`${dryRun ? 'Not written, this would change:\n' : ''}${diff}${note}`)] }
}

/** Said where the parser read the file before and does not any more. */
async function faultNote(
  { pool }: WritingBench,
  { path, picked, after }: { readonly path: string; readonly picked: Picked; readonly after: string },
  ctx: Context,
): Promise<string> {
  if (picked.faulty !== undefined) return ''
  const read = qualifiedName(picked.extent.definition.name).name
  const target = { path, top: path, file: picked.file, source: after, ask: { read } }
  const [found] = await measureFiles([target], { pool, signal: ctx.signal, client: ctx.clientKey })
  const line = found?.findings?.extents?.faulty
  return line === undefined
    ? ''
    : `\nThe parser cannot read the file any more, from line ${line} on: check the new code.`
}
