import { codes } from '../jsonrpc/errors.ts'
import type { Kind, RpcError } from '../jsonrpc/errors.ts'
import type { Problem } from '../schema/problems.ts'

/**
 * How one kind of error is spelled: as an `isError` result, under a code, or under a code in other words. `{words}` are our
 * own; `{subject}` is the name it is about, and an error that names none keeps its words behind the title.
 */
export type Spelling = 'result' | number | { readonly code: number; readonly message: string }

/** How a server spells its errors. */
export interface Dialect {
  readonly errors?: Readonly<Partial<Record<Kind, Spelling>>>
  /**
   * Where a protocol error says what to try instead, such as the nearest name: in its message, which is all that most
   * hosts show, and in `data`; in `data` alone; or nowhere. Default: `message`.
   */
  readonly suggest?: 'message' | 'data' | false
  /** Report every invalid argument, or only the first. */
  readonly problems?: 'all' | 'first'
  /** The title of what HTTP itself refuses under -32000. */
  readonly refusals?: string
  /** Repeat in `data` what stands behind the title of a protocol error that has no data of its own. Default: false. */
  readonly details?: boolean
  /** Words for invalid arguments by rule, or by `rule argument`; `{name}`, `{value}` and `{allowed}` are filled in. */
  readonly messages?: Readonly<Record<string, string>>
}

/** The protocol's own way: what a model can fix is a result it reads. */
export const SPEC_DIALECT: Dialect = {
  errors: {
    'invalid-arguments': 'result',
    'tool-failed': 'result',
    timeout: 'result',
    'result-too-large': 'result',
  },
}

const MOST = 20

/** Is the kind told as a result in this dialect? */
export const isResult = (dialect: Dialect, kind: Kind | undefined): boolean => spellingOf(dialect, kind) === 'result'

/** A kind of a pack's own that the dialect does not know is spelled like any failure of a tool. */
function spellingOf({ errors = {} }: Dialect, kind: Kind | undefined): Spelling | undefined {
  if (kind === undefined) return undefined
  return errors[kind] ?? (Object.hasOwn(codes, kind) ? undefined : errors['tool-failed'])
}

/** The error's code and words in this dialect; `revised` is what the revision calls it. */
export function spell(
  error: RpcError,
  dialect: Dialect,
  revised: number | undefined,
): { code: number; message: string } {
  const spelling = spellingOf(dialect, error.kind)
  const message = messageOf(error, dialect, (dialect.suggest ?? 'message') === 'message')
  if (spelling === 'result' || spelling === undefined) return { code: revised ?? error.code, message }
  if (typeof spelling === 'number') return { code: spelling, message }
  return { code: spelling.code, message: filled(spelling.message, message, error.subject) }
}

function filled(template: string, words: string, subject: string | undefined): string {
  if (subject !== undefined && template.includes('{subject}')) return template.replace('{subject}', () => subject)
  return template.includes('{') ? titled(template.slice(0, template.indexOf(': ')), words) : template
}

/** Words behind a title; they may begin with it already, perhaps in other letters. */
export function titled(title: string, words: string): string {
  const hasTitle = words.toLowerCase().startsWith(title.toLowerCase())
  return hasTitle ? title + words.slice(title.length) : `${title}: ${words}`
}

/** What stands behind the title of a message, where the dialect repeats it. */
export function detailOf(message: string, { details = false }: Dialect): string | undefined {
  const at = message.indexOf(': ')
  return details && at > 0 ? message.slice(at + 2) : undefined
}

/** The error's message, with what to try instead if that is wanted. */
export function messageOf(error: RpcError, dialect: Dialect, suggest: boolean): string {
  const problems = problemsOf(error)
  if (problems) return describe(error.message, problems, dialect, suggest)
  if (!suggest || error.hint === undefined || error.message.endsWith(error.hint)) return error.message
  return /[.!?]$/.test(error.message) ? `${error.message} ${error.hint}` : `${error.message}. ${error.hint}`
}

/** What a protocol error tells beside its words, which `message` are in this dialect. */
export function dataOf(error: RpcError, dialect: Dialect, message: string): unknown {
  if (dialect.suggest === false && error.kind === 'unknown-tool') return undefined
  const problems = problemsOf(error)
  if (problems) return { ...(error.data as object), problems: problems.slice(0, MOST) }
  if (error.hint === undefined) return error.data ?? detailOf(message, dialect)
  return { ...(typeof error.data === 'object' && error.data), hint: error.hint }
}

function problemsOf({ kind, data }: RpcError): readonly Problem[] | undefined {
  if (kind !== 'invalid-arguments' || typeof data !== 'object' || data === null || !('problems' in data))
    return undefined
  return Array.isArray(data.problems) && data.problems.length > 0 ? (data.problems as Problem[]) : undefined
}

function describe(title: string, problems: readonly Problem[], dialect: Dialect, suggest: boolean): string {
  const say = (problem: Problem): string => worded(problem, dialect) ?? sentence(problem, suggest)
  if (dialect.problems === 'first') return problems[0] ? say(problems[0]) : title
  const lead = title.endsWith('.') ? title : `${title}:`
  if (problems.length === 1 && problems[0]) return `${lead} ${say(problems[0])}`
  const lines = problems.slice(0, MOST).map(problem => `- ${say(problem)}`)
  const rest = problems.length > MOST ? [`- and ${problems.length - MOST} more`] : []
  return [lead, ...lines, ...rest].join('\n')
}

function worded({ rule, argument, sent, allowed }: Problem, { messages }: Dialect): string | undefined {
  const template = messages?.[`${rule} ${argument}`] ?? messages?.[rule]
  const fill: Record<string, string> = {
    name: argument,
    value: (sent ?? '').replace(/^'|'$/g, ''),
    allowed: allowed ?? '',
  }
  return template?.replace(/\{(name|value|allowed)\}/g, (_, key: string) => fill[key] ?? '')
}

function sentence({ rule, what, hint, allowed }: Problem, suggest: boolean): string {
  const list =
    allowed === undefined ? undefined : `Supported ${rule === 'unknown' ? 'parameters' : 'values'}: ${allowed}.`
  return [what, suggest ? hint : undefined, list].filter(part => part !== undefined).join(' ')
}
