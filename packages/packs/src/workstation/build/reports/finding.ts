/** One thing that went wrong, as a report of a tool names it. */
export interface Finding {
  /** `file:line:column`, as far as the report says. */
  readonly place?: string | undefined
  /** The name of the test, or the message of the compiler. */
  readonly title: string
  /** What else the report says of it, a few lines. */
  readonly detail?: readonly string[]
}

/** Finds what went wrong in the lines of an output, without colours; lines of other tools are passed over. */
export type Parser = (lines: readonly string[]) => Finding[]

const MOST_DETAIL = 8
const MOST_FOUND = 500

/** The lines from one on that are not blank, up to the first that ends the block; a few of them. */
export function block(lines: readonly string[], from: number, isEnd: (line: string) => boolean): string[] {
  const found: string[] = []
  for (let i = from; i < lines.length && found.length < MOST_DETAIL; i++) {
    const line = lines[i] ?? ''
    if (isEnd(line)) break
    if (line.trim() !== '') found.push(line.trimEnd())
  }
  return found
}

/** The first match among some lines from one on, up to the first that ends the block. */
export function firstIn(
  lines: readonly string[],
  { from, most = 60, isEnd }: { from: number; most?: number; isEnd: (line: string) => boolean },
  wanted: RegExp,
): RegExpExecArray | undefined {
  for (let i = from; i < Math.min(lines.length, from + most); i++) {
    const line = lines[i] ?? ''
    if (isEnd(line)) return undefined
    const match = wanted.exec(line)
    if (match) return match
  }
  return undefined
}

/** Of each line that matches, what it says; not more than a report can be worth reading. */
export function eachLine(
  lines: readonly string[],
  pattern: RegExp,
  toFinding: (match: RegExpExecArray, at: number) => Finding | undefined,
): Finding[] {
  const found: Finding[] = []
  for (let at = 0; at < lines.length && found.length < MOST_FOUND; at++) {
    const match = pattern.exec(lines[at] ?? '')
    const finding = match && toFinding(match, at)
    if (finding) found.push(finding)
  }
  return found
}
