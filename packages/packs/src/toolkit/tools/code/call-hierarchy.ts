import { text, tool } from '@causeway/engine'
import type { Context, Tool } from '@causeway/engine'
import { fileData } from '../../../support/file-data.ts'
import { isCallable, qualified } from '../../analysis/symbols/definition.ts'
import type { Within } from '../../analysis/uses/occurrences.ts'
import { notRead, notReadNote } from '../../formats/not-read.ts'
import { measure } from '../analysis.ts'
import type { Bench, Measured } from '../analysis.ts'
import { SYMBOL_NAME, qualifiedName } from '../symbol-name.ts'
import { WHICH, pickOne } from './pick.ts'
import { PARSER, narrow } from './narrow.ts'
import type { Meant } from './narrow.ts'
import type { Picked } from './pick.ts'

/** A function that calls, or is called. */
interface Caller {
  readonly name: string
  readonly file: string
  readonly line: number
  /** The lines of the calls. */
  readonly calls: readonly number[]
  readonly callers?: readonly Caller[]
}

interface Callee {
  readonly name: string
  /** The lines of the calls. */
  readonly calls: readonly number[]
  /** Where something of that name is defined; empty if it is not defined here. */
  readonly defined: readonly string[]
}

const MOST_SCANS = 40
const MOST_DEFINED = 5
const CALL = /(?<![\p{L}\p{N}_$])([\p{L}_$][\p{L}\p{N}_$]*)[!?]?\s*(?:::<[^<>()]*>|<[^<>()\n]*>)?\(/gu
const NO_CALLS = new Set(
  'if for while switch return function catch match fn func def and or not in elif sizeof typeof super await new'.split(
    ' ',
  ),
)

/** Shows what calls a function, and what it calls. */
export const callHierarchy = (bench: Bench): Tool =>
  tool(
    {
      name: 'call_hierarchy',
      task: 'optional',
      use: fileData,
      title: 'Call Hierarchy',
      description:
        'Show where a function is called from, level by level (callers), or what it calls and where that is defined (callees). Callers by type where a language server is installed, else by name.',
      readOnly: true,
      openWorld: false,
      input: {
        type: 'object',
        properties: {
          name: SYMBOL_NAME,
          ...WHICH,
          direction: {
            type: 'string',
            enum: ['callers', 'callees'],
            default: 'callers',
            description: 'Which way to look',
          },
          depth: { type: 'integer', minimum: 1, maximum: 5, default: 1, description: 'How many levels of callers' },
        },
        required: ['name'],
        additionalProperties: false,
      },
    },
    async ({ name, path, line, direction, depth }, ctx) => {
      if (direction === 'callees') return calleesOf(bench, { name, path, line }, ctx)
      const state: Looking = { bench, path, ctx, seen: new Set(), scans: 0, sources: new Set() }
      const callers = await callersOf(state, { ...qualifiedName(name), path }, depth)
      const rows = callers.flatMap(caller => rowsOf(caller, 0))
      const heading =
        rows.length === 0 ? `Nothing calls '${name}' in the files that were read.` : `Callers of '${name}':`
      const { last } = state
      const source = [...state.sources].join('; ')
      const said = [`Source: ${source}.`, ...(last ? notReadNote(last) : [])]
      return {
        content: [text([heading, ...rows, ...said].join('\n'))],
        structuredContent: { name, callers, complete: state.scans < MOST_SCANS, source, ...(last && notRead(last)) },
      }
    },
  )

interface Looking {
  readonly bench: Bench
  readonly path: string
  readonly ctx: Context
  /** The functions whose callers were looked for, by file and line. */
  readonly seen: Set<string>
  readonly sources: Set<string>
  scans: number
  last?: Measured
}

interface Direct extends Caller {
  readonly bare: string
  readonly calls: number[]
}

/** The functions that the calls stand in. */
function calledFrom({ files }: Measured): Map<string, Direct> {
  const callers = new Map<string, Direct>()
  for (const { file, findings } of files) {
    for (const { role, line, within } of findings?.occurrences?.places ?? []) {
      if (role !== 'call') continue
      const name = within ? qualified(within) : '(top of the file)'
      const known = callers.get(`${file} ${name}`)
      if (known) known.calls.push(line)
      else callers.set(`${file} ${name}`, { name, ...whereOf(within, line), file, calls: [line] })
    }
  }
  return callers
}

const whereOf = (within: Within | undefined, line: number): { bare: string; line: number } =>
  within ? { bare: within.name, line: within.line } : { bare: '', line }

async function callersOf(state: Looking, meant: Meant, depth: number): Promise<Caller[]> {
  if (state.scans >= MOST_SCANS) return []
  state.scans += 1
  const { bench, path, ctx, seen } = state
  const read = await measure(bench, { project_path: path, argument: 'path', ask: { find: meant.name } }, ctx)
  const found = await narrow(bench, read, meant, ctx)
  state.last = found
  state.sources.add(found.source)
  const callers = calledFrom(found)
  const made: Caller[] = []
  for (const { bare, ...caller } of callers.values()) {
    const key = `${caller.file}:${caller.line}`
    const isNew = depth > 1 && bare !== '' && !seen.has(key)
    seen.add(key)
    const above = { name: bare, path, only: { file: caller.file, line: caller.line } }
    made.push(isNew ? { ...caller, callers: await callersOf(state, above, depth - 1) } : caller)
  }
  return made
}

const rowsOf = ({ name, file, calls, callers = [] }: Caller, depth: number): string[] => [
  `${'  '.repeat(depth)}${name} ${file}:${calls.join(',')}`,
  ...callers.flatMap(caller => rowsOf(caller, depth + 1)),
]

async function calleesOf(
  bench: Bench,
  which: { name: string; path: string; line?: number | undefined },
  ctx: Context,
): Promise<object> {
  const picked = await pickOne(bench, which, ctx)
  const { root } = bench.jail.below(await bench.jail.resolve(picked.file))
  const found = await measure(bench, { project_path: root, ask: 'symbols' }, ctx)
  const defined = new Map<string, string[]>()
  for (const { file, findings } of found.files) {
    for (const one of findings?.definitions ?? []) {
      if (!isCallable(one.kind) && one.kind !== 'class' && one.kind !== 'macro') continue
      const place = `${file}:${one.line} ${qualified(one)}`
      defined.set(one.name, [...(defined.get(one.name) ?? []), place])
    }
  }
  const callees = callsIn(picked).map(({ name, calls }): Callee => {
    return { name, calls, defined: (defined.get(name) ?? []).slice(0, MOST_DEFINED) }
  })
  const ours = callees.filter(one => one.defined.length > 0)
  const others = callees.filter(one => one.defined.length === 0).map(one => one.name)
  const rows = ours.map(one => `${one.name} (line ${one.calls.join(', ')}): ${one.defined.join('; ')}`)
  const rest = others.length === 0 ? [] : [`Not defined here: ${others.join(', ')}.`]
  return {
    content: [
      text(
        [
          `What ${qualified(picked.extent.definition)} calls:`,
          ...rows,
          ...rest,
          `Source: ${PARSER}.`,
          ...notReadNote(found),
        ].join('\n'),
      ),
    ],
    structuredContent: { name: which.name, callees, source: PARSER, ...notRead(found) },
  }
}

/** The names that are called in the code of a definition, in their order. */
function callsIn({ source, extent: { definition } }: Picked): { name: string; calls: number[] }[] {
  const start = definition.at + definition.name.length
  const body = source
    .slice(start, definition.to)
    .replace(/\/\/[^\n]*|\/\*[^]*?\*\/|(["'`])(?:\\[^]|(?!\1)[^\\\n])*\1/g, found => found.replace(/[^\n]/g, ' '))
  const calls = new Map<string, number[]>()
  let at = 0
  let { line } = definition
  for (const { index, 1: name = '' } of body.matchAll(CALL)) {
    for (; at < index; at++) if (body[at] === '\n') line += 1
    if (!NO_CALLS.has(name)) calls.set(name, [...(calls.get(name) ?? []), line])
  }
  return [...calls].map(([name, lines]) => ({ name, calls: [...new Set(lines)] }))
}
