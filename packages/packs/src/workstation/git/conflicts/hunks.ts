/** A place of a file on which both sides differ, between git's marks. */
export interface Hunk {
  /** Its lines, from the first mark on; the end is behind the last one. */
  readonly start: number
  readonly end: number
  readonly ours: string
  readonly theirs: string
}

/** Which side to take. */
export type Side = 'ours' | 'theirs' | 'both'

const SIZE = 7

/** The lines of a text, each with its end. */
export const linesOf = (text: string): string[] => (text === '' ? [] : text.split(/(?<=\n)/))

/** The conflicts in the lines of a file, as git marks them; marks that do not fit together are lines like others. */
export function hunksIn(lines: readonly string[], size: number = SIZE): Hunk[] {
  const hunks: Hunk[] = []
  for (let at = 0; at < lines.length; at++) {
    if (!isMark(lines[at], '<', size)) continue
    const hunk = hunkAt(lines, at, size)
    if (!hunk) continue
    hunks.push(hunk)
    at = hunk.end - 1
  }
  return hunks
}

function hunkAt(lines: readonly string[], start: number, size: number): Hunk | undefined {
  const parts: { ours: string[]; base: string[]; theirs: string[] } = { ours: [], base: [], theirs: [] }
  let part: keyof typeof parts = 'ours'
  for (let at = start + 1; at < lines.length; at++) {
    const line = lines[at] ?? ''
    if (part === 'theirs' && isMark(line, '>', size))
      return { start, end: at + 1, ours: parts.ours.join(''), theirs: parts.theirs.join('') }
    if (isMark(line, '<', size)) return undefined
    if (part === 'ours' && isMark(line, '|', size)) part = 'base'
    else if (part !== 'theirs' && isMark(line, '=', size)) part = 'theirs'
    else parts[part].push(line)
  }
  return undefined
}

/** So many of a sign, and then nothing, or a blank and a name. */
function isMark(line: string | undefined, sign: string, size: number): boolean {
  if (!line?.startsWith(sign.repeat(size))) return false
  const rest = line.slice(size).replace(/\r?\n$/, '')
  return rest === '' || (rest.startsWith(' ') && sign !== '=')
}

/** The text with some of its conflicts, counted from 1, decided; the others stay as they are. */
export function decided(
  lines: readonly string[],
  hunks: readonly Hunk[],
  { side, hunk }: { readonly side: Side; readonly hunk: number | undefined },
): string {
  const out: string[] = []
  let at = 0
  for (const [i, one] of hunks.entries()) {
    if (hunk !== undefined && hunk !== i + 1) continue
    out.push(...lines.slice(at, one.start), chosen(one, side))
    at = one.end
  }
  return [...out, ...lines.slice(at)].join('')
}

function chosen({ ours, theirs }: Hunk, side: Side): string {
  if (side !== 'both') return side === 'ours' ? ours : theirs
  const isOpen = ours !== '' && !ours.endsWith('\n')
  return `${ours}${isOpen ? '\n' : ''}${theirs}`
}
