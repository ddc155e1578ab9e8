import { didYouMean } from '@causeway/engine'

/** One argument of a script. */
export interface ScriptArgument {
  readonly name: string
  readonly type: 'string' | 'integer' | 'number' | 'boolean'
  readonly values?: readonly string[]
  readonly required: boolean
  readonly default?: string | number | boolean
  readonly description: string
}

/** What the comment at the head of a script declares. */
export interface ScriptHeader {
  readonly name: string
  readonly description: string
  readonly arguments: readonly ScriptArgument[]
  readonly flags: ReadonlySet<Flag>
  /** Its output is JSON. */
  readonly json: boolean
  readonly timeoutSeconds: number | undefined
}

/** What is wrong with a header, and in which line. */
export class HeaderProblem extends Error {
  override readonly name = 'HeaderProblem'
  readonly line: number

  constructor(line: number, message: string) {
    super(message)
    this.line = line
  }
}

const FLAGS = ['readOnly', 'destructive', 'idempotent', 'openWorld'] as const
type Flag = (typeof FLAGS)[number]
const WORDS = ['tool', 'description', 'arg', 'output', 'timeout', ...FLAGS]
const TYPES = ['string', 'integer', 'number', 'boolean'] as const
const MOST_LINES = 200
const LONGEST_LINE = 2000
const COMMENT = /^\s*(?:#(?!!)|\/\/|--|;|rem\b)\s?(.*)$/i

/** The comment lines at the head of a script, behind its `#!` line, each with its number. */
export function commentLines(source: string): readonly (readonly [line: number, text: string])[] {
  const found: [number, string][] = []
  for (const [i, line] of source.split(/\r?\n/, MOST_LINES).entries()) {
    if (i === 0 && line.startsWith('#!')) continue
    const [, text] = COMMENT.exec(line) ?? []
    if (text === undefined) {
      if (line.trim() === '') continue
      break
    }
    found.push([i + 1, text.slice(0, LONGEST_LINE)])
  }
  return found
}

/** The header that some lines are; undefined if they declare no tool. Throws a HeaderProblem for one that is wrong. */
export function readHeader(lines: readonly (readonly [line: number, text: string])[]): ScriptHeader | undefined {
  if (!lines.some(([, text]) => /^@tool\b/.test(text.trim()))) return undefined
  const draft: Draft = { words: [], args: [], flags: new Set(), json: false }
  for (const [line, text] of lines) takeLine(draft, line, text.trim())
  const { name = '', words, args, flags, json, timeoutSeconds } = draft
  return { name, description: words.join(' '), arguments: args, flags, json, timeoutSeconds }
}

interface Draft {
  name?: string
  readonly words: string[]
  readonly args: ScriptArgument[]
  readonly flags: Set<Flag>
  json: boolean
  timeoutSeconds?: number
}

function takeLine(draft: Draft, line: number, text: string): void {
  const [, word, rest = ''] = /^@(\w+)\s*(.*)$/.exec(text) ?? []
  if (word === undefined) return
  if (word === 'tool') draft.name = nameIn(rest, line)
  else if (word === 'description') draft.words.push(rest)
  else if (word === 'arg') draft.args.push(argumentIn(rest, line, draft.args))
  else if (word === 'output') draft.json = outputIn(rest, line)
  else if (word === 'timeout') draft.timeoutSeconds = secondsIn(rest, line)
  else if (isFlag(word)) draft.flags.add(word)
  else
    throw new HeaderProblem(
      line,
      `there is no @${word}. ${didYouMean(word, WORDS) ?? `There is @${WORDS.join(', @')}.`}`,
    )
}

const isFlag = (word: string): word is Flag => FLAGS.some(flag => flag === word)

function nameIn(text: string, line: number): string {
  if (/^[A-Za-z0-9_-]{1,64}$/.test(text)) return text
  throw new HeaderProblem(line, `@tool needs a name of 1 to 64 of A-Z a-z 0-9 _ -, got '${text.slice(0, 80)}'`)
}

function outputIn(text: string, line: number): boolean {
  if (text === 'json' || text === 'text') return text === 'json'
  throw new HeaderProblem(line, `@output is json or text, got '${text.slice(0, 80)}'`)
}

function secondsIn(text: string, line: number): number {
  const [, count, unit = 's'] = /^(\d{1,6})\s*(s|m|h)?$/.exec(text) ?? []
  if (count === undefined || Number(count) === 0)
    throw new HeaderProblem(line, `@timeout is a time such as 90s or 5m, got '${text.slice(0, 80)}'`)
  return Number(count) * { s: 1, m: 60, h: 3600 }[unit as 's' | 'm' | 'h']
}

const SYNTAX = 'write: @arg NAME {TYPE} DESCRIPTION, with [NAME] or [NAME=DEFAULT] if it may be left out'

function argumentIn(text: string, line: number, others: readonly ScriptArgument[]): ScriptArgument {
  const [, optional, required, kind = 'string', description = ''] =
    /^(?:\[([^[\]]{1,300})\]|([^\s[\]{}]+))\s*(?:\{([^{}]{1,300})\})?\s*(.*)$/.exec(text) ?? []
  const [name = '', fallback] = (optional ?? required ?? '').split(/=(.*)/s)
  if (!/^[A-Za-z_][A-Za-z0-9_]{0,63}$/.test(name)) throw new HeaderProblem(line, `@arg has no valid name: ${SYNTAX}`)
  if (others.some(other => variableOf(other.name) === variableOf(name)))
    throw new HeaderProblem(line, `@arg ${name} is declared twice`)
  const typed = typeIn(kind.trim(), line)
  return {
    name,
    ...typed,
    required: required !== undefined,
    ...(fallback !== undefined && { default: defaultIn(fallback, typed, line) }),
    description,
  }
}

function typeIn(kind: string, line: number): Pick<ScriptArgument, 'type' | 'values'> {
  const plain = TYPES.find(type => type === kind)
  if (plain) return { type: plain }
  const values = kind.split('|').map(value => value.trim())
  if (values.length > 1 && values.every(value => value !== '')) return { type: 'string', values }
  const hint = didYouMean(kind, TYPES) ?? `There is ${TYPES.join(', ')}, or choices such as {red|green}.`
  throw new HeaderProblem(line, `there is no type {${kind}}. ${hint}`)
}

/** How a default of each type is read; undefined for one that is none. */
const READERS: Readonly<Record<ScriptArgument['type'], (text: string) => string | number | boolean | undefined>> = {
  string: text => text,
  boolean: text => ({ true: true, false: false })[text],
  number: text => (text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : undefined),
  integer: text => (/^-?\d{1,15}$/.test(text) ? Number(text) : undefined),
}

function defaultIn(
  text: string,
  { type, values }: Pick<ScriptArgument, 'type' | 'values'>,
  line: number,
): string | number | boolean {
  const value = READERS[type](text)
  if (value !== undefined && (values?.includes(text) ?? true)) return value
  throw new HeaderProblem(
    line,
    `the default '${text.slice(0, 80)}' is not ${values?.join(' or ') ?? `of the type ${type}`}`,
  )
}

/** The environment variable that a script gets an argument in. */
export const variableOf = (name: string): string => `ARG_${name.toUpperCase()}`
