import { withoutEscapes } from '@causeway/engine/internal'

const LONGEST_LINE = 1000

/** The lines of an output as a person sees them in the end: no colours, of a line that was rewritten the last state. */
export const plainLines = (output: string): string[] => {
  const lines = plain(output).split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines
}

/** The output without colours, and without what was overwritten in place. */
export const plain = (output: string): string => {
  const bare = withoutEscapes(output)
  return bare.includes('\r') ? bare.split('\n').map(lastState).join('\n') : bare
}

function lastState(line: string): string {
  let end = line.length
  while (line[end - 1] === '\r') end--
  return line.slice(line.lastIndexOf('\r', end - 1) + 1, end)
}

/** Whole lines of the beginning and the end, mostly the end, in so many characters; a note says what is missing. */
export function excerpt(lines: readonly string[], most: number): string {
  const short = lines.map(clipped)
  const total = short.reduce((sum, line) => sum + line.length + 1, 0)
  if (total <= most) return short.join('\n')
  const head = fitting(short, most / 6)
  const tail = fitting(short.slice(head.length).toReversed(), (most * 5) / 6).toReversed()
  const missing = short.length - head.length - tail.length
  return [...head, `[… ${missing} line${missing === 1 ? '' : 's'} left out …]`, ...tail].join('\n')
}

function fitting(lines: readonly string[], most: number): string[] {
  let room = most
  const end = lines.findIndex(line => (room -= line.length + 1) < 0)
  return lines.slice(0, end < 0 ? undefined : end)
}

/** Of a very long line, the beginning and the end. */
export function clipped(line: string): string {
  if (line.length <= LONGEST_LINE) return line
  const [head, tail] = [line.slice(0, 600), line.slice(-300)]
  return `${head} [… ${line.length - 900} characters left out …] ${tail}`
}
