import { fileURLToPath } from 'node:url'
import type { Position, Range } from './text-positions.ts'

/** A place in a file, as a server names it. */
export interface Location {
  /** Not looked at yet: it may lie anywhere. */
  readonly path: string
  readonly range: Range
}

/** An edit that a server proposes. */
export interface TextEdit extends Location {
  readonly newText: string
}

/** What a server answered is not what the protocol says. */
export class BadAnswer extends Error {
  override readonly name = 'BadAnswer'
}

const MOST_LOCATIONS = 20_000
const MOST_EDITS = 20_000
const LONGEST_EDIT = 1000

type Fields = Readonly<Record<string, unknown>>

const fields = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}

/** The path of a URI; undefined for what is no file. */
export function pathOf(uri: unknown): string | undefined {
  if (typeof uri !== 'string' || !uri.startsWith('file:')) return undefined
  try {
    return fileURLToPath(uri)
  } catch {
    return undefined
  }
}

function position(value: unknown): Position | undefined {
  const { line, character } = fields(value)
  return isCount(line) && isCount(character) ? { line, character } : undefined
}

const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0

/** A range, if it is one. */
export function rangeOf(value: unknown): Range | undefined {
  const { start, end } = fields(value)
  const [from, to] = [position(start), position(end)]
  return from && to ? { start: from, end: to } : undefined
}

/** Places out of an answer: one, many, or links to them. */
export function locationsIn(answer: unknown): Location[] {
  const list = Array.isArray(answer) ? answer : answer === null || answer === undefined ? [] : [answer]
  if (list.length > MOST_LOCATIONS) throw new BadAnswer(`it named more than ${MOST_LOCATIONS} places`)
  return list.flatMap((one): Location[] => {
    const { uri, targetUri, range, targetSelectionRange } = fields(one)
    const [path, at] = [pathOf(uri ?? targetUri), rangeOf(range ?? targetSelectionRange)]
    return path !== undefined && at ? [{ path, range: at }] : []
  })
}

/** The edits of a rename; an answer that does anything else to files is refused. */
export function editsIn(answer: unknown): TextEdit[] {
  const { changes, documentChanges } = fields(answer)
  const files: [unknown, unknown][] = Array.isArray(documentChanges)
    ? documentChanges.map(one => ofDocument(one))
    : Object.entries(fields(changes))
  const edits = files.flatMap(([uri, list]) => {
    const path = pathOf(uri)
    if (path === undefined || !Array.isArray(list)) throw new BadAnswer('it proposed to change what is no file')
    if (list.length > MOST_EDITS) throw new BadAnswer(`it proposed more than ${MOST_EDITS} edits`)
    return list.map(one => textEdit(path, one))
  })
  if (edits.length > MOST_EDITS) throw new BadAnswer(`it proposed more than ${MOST_EDITS} edits`)
  return edits
}

function ofDocument(value: unknown): [unknown, unknown] {
  const { kind, textDocument, edits } = fields(value)
  if (kind !== undefined) throw new BadAnswer('it proposed to create, rename or delete files')
  return [fields(textDocument).uri, edits]
}

function textEdit(path: string, value: unknown): TextEdit {
  const { newText } = fields(value)
  const range = rangeOf(fields(value).range)
  if (!range || typeof newText !== 'string' || newText.length > LONGEST_EDIT)
    throw new BadAnswer('it proposed an edit that is none')
  return { path, range, newText }
}
