import { rangeOf } from './answers.ts'

/** As a server sends it, not looked at. */
export type RawDiagnostic = unknown

/** How bad something is. */
export const SEVERITIES = ['error', 'warning', 'information', 'hint'] as const
/** How bad something is. */
export type Severity = (typeof SEVERITIES)[number]

/** What is wrong with a line. */
export interface Diagnostic {
  readonly line: number
  readonly column: number
  readonly severity: Severity
  readonly message: string
  readonly code?: string
  readonly source?: string
}

const LONGEST = 1000
const MOST = 5000

/** What is wrong with a file, each thing once, in the order of lines. */
export function diagnosticsIn(list: readonly RawDiagnostic[]): Diagnostic[] {
  const found = list.slice(0, MOST).flatMap(one => diagnostic(one))
  const unique = new Map(found.map(one => [`${one.line}:${one.column}:${one.code}:${one.message}`, one]))
  return [...unique.values()].sort((a, b) => a.line - b.line || a.column - b.column)
}

function diagnostic(raw: RawDiagnostic): Diagnostic[] {
  if (typeof raw !== 'object' || raw === null) return []
  const { range, severity, message, code, source } = raw as Readonly<Record<string, unknown>>
  const at = rangeOf(range)
  const said = message instanceof Object && 'value' in message ? message.value : message
  if (!at || typeof said !== 'string') return []
  const { line, character } = at.start
  const [name, by] = [short(code), short(source)]
  return [
    {
      line: line + 1,
      column: character + 1,
      severity: SEVERITIES[Number(severity ?? 1) - 1] ?? 'error',
      message: said.slice(0, LONGEST),
      ...(name !== undefined && { code: name }),
      ...(by !== undefined && { source: by }),
    },
  ]
}

const short = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'number' ? String(value).slice(0, 100) : undefined
