import { readFileSync } from 'node:fs'

/** What is sent at once, and what must come of it before the next is sent. */
export interface Step {
  readonly sent: readonly string[]
  readonly expected: readonly unknown[]
}

/** A conversation written down: how the server is started, and what is said. */
export interface Transcript {
  readonly args: readonly string[]
  readonly steps: readonly Step[]
}

/**
 * Reads a transcript. `$` starts the server, `>` is sent as it stands, `<` must come back, `#` is for the reader, and a
 * blank line waits for everything above it. In what must come back `"…"` stands for anything, a `…` in a string for
 * any letters, and the member `"…"` for members that are not listed.
 */
export function readTranscript(file: URL): Transcript {
  const lines = readFileSync(file, 'utf8').split('\n')
  const command = lines.find(line => line.startsWith('$ causeway'))
  if (command === undefined) throw new Error(`${file.pathname} does not start a server`)
  const blocks = lines.join('\n').split(/\n\s*\n/)
  return {
    args: command.split(' ').slice(2),
    steps: blocks.map(block => toStep(block.split('\n'))).filter(step => step.sent.length + step.expected.length > 0),
  }
}

function toStep(lines: readonly string[]): Step {
  const after = (mark: string): string[] => lines.filter(l => l.startsWith(`${mark} `)).map(l => l.slice(2))
  return { sent: after('>'), expected: after('<').map(line => JSON.parse(line) as unknown) }
}

const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The id a message is told apart by; a batch and a message without one have a sign of their own. */
export const idOf = (message: unknown): string =>
  isMap(message) ? (JSON.stringify(message.id) ?? 'none') : Array.isArray(message) ? 'batch' : 'no message'

/** What was expected, its placeholders filled in with what came. */
export function fill(expected: unknown, actual: unknown): unknown {
  if (typeof expected === 'string') return fillText(expected, actual)
  if (Array.isArray(expected) && Array.isArray(actual)) return fillList(expected, actual)
  if (!isMap(expected) || !isMap(actual)) return expected
  const { '…': open, ...listed } = expected
  const unlisted = open === undefined ? {} : Object.fromEntries(Object.entries(actual).filter(([k]) => !(k in listed)))
  return { ...unlisted, ...Object.fromEntries(Object.entries(listed).map(([k, v]) => [k, fill(v, actual[k])])) }
}

function fillText(expected: string, actual: unknown): unknown {
  if (expected === '…') return actual
  if (typeof actual !== 'string' || !expected.includes('…')) return expected
  const pattern = expected.split('…').map(escape)
  return new RegExp(`^${pattern.join('[^]*')}$`).test(actual) ? actual : expected
}

const escape = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')

function fillList(expected: readonly unknown[], actual: readonly unknown[]): unknown[] {
  const isOpen = expected.at(-1) === '…'
  const listed = isOpen ? expected.slice(0, -1) : expected
  return [...listed.map((item, i) => fill(item, actual[i])), ...(isOpen ? actual.slice(listed.length) : [])]
}
