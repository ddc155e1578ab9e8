/** One line of a diff; the numbers are those of the line before and after. */
export interface DiffLine {
  readonly kind: 'same' | 'added' | 'deleted' | 'hunk' | 'note'
  readonly text: string
  readonly before?: number
  readonly after?: number
}

/** What a diff says of one file. */
export interface DiffFile {
  readonly path: string
  readonly from: string | undefined
  readonly added: number
  readonly deleted: number
  readonly lines: readonly DiffLine[]
}

/** A diff as git writes it: what stands before the first file, and the files. */
export interface Diff {
  readonly head: string
  readonly files: readonly DiffFile[]
}

interface Place {
  before: number
  after: number
  /** Lines of the hunk that are still to come. */
  left: number
  right: number
}

const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/
const LONGEST = 2000

/** Read a diff; what is none is its head. How long a hunk is says which lines are its own, whatever they look like. */
export function readDiff(words: string): Diff {
  const head: string[] = []
  const files: { path: string; from?: string; lines: DiffLine[] }[] = []
  const place: Place = { before: 0, after: 0, left: 0, right: 0 }
  for (const line of words.split('\n')) {
    const file = files.at(-1)
    if (file && (place.left > 0 || place.right > 0)) {
      file.lines.push(lineIn(line.slice(0, LONGEST), place))
      continue
    }
    if (file && begins(line, place)) file.lines.push({ kind: 'hunk', text: line.slice(0, LONGEST) })
    else if (line.startsWith('diff --git ')) files.push({ path: pathIn(line), lines: [] })
    else if (file) describe(file, line)
    else head.push(line)
  }
  return { head: head.join('\n').trim(), files: files.map(counted) }
}

/** Does a hunk begin here? Then it says how many lines are its own. */
function begins(line: string, place: Place): boolean {
  const [, before, left = 1, after, right = 1] = HUNK.exec(line) ?? []
  if (before === undefined) return false
  Object.assign(place, { before: Number(before), after: Number(after), left: Number(left), right: Number(right) })
  return true
}

const pathIn = (line: string): string => unquoted(/ b\/(.+?)"?$/.exec(line)?.[1] ?? line.slice(11))

function lineIn(line: string, place: Place): DiffLine {
  const text = line.slice(1)
  if (line.startsWith('+')) {
    place.right -= 1
    return { kind: 'added', text, after: place.after++ }
  }
  if (line.startsWith('-')) {
    place.left -= 1
    return { kind: 'deleted', text, before: place.before++ }
  }
  if (line.startsWith('\\')) return { kind: 'note', text: line }
  place.left -= 1
  place.right -= 1
  return { kind: 'same', text, before: place.before++, after: place.after++ }
}

function describe(file: { path: string; from?: string; lines: DiffLine[] }, line: string): void {
  const [, to] = /^\+\+\+ "?b\/(.+?)"?$/.exec(line) ?? []
  const [, from] = /^(?:rename|copy) from (.+)$/.exec(line) ?? []
  if (to !== undefined) file.path = unquoted(to.replace(/\t$/, ''))
  else if (from !== undefined) file.from = unquoted(from)
  else if (/^(?:new file|deleted file|old mode|new mode|Binary files|\\)/.test(line))
    file.lines.push({ kind: 'note', text: line.slice(0, LONGEST) })
}

const unquoted = (path: string): string => path.replace(/^"(.*)"$/, '$1')

const counted = ({ path, from, lines }: { path: string; from?: string; lines: DiffLine[] }): DiffFile => ({
  path,
  from,
  lines,
  added: lines.filter(({ kind }) => kind === 'added').length,
  deleted: lines.filter(({ kind }) => kind === 'deleted').length,
})
