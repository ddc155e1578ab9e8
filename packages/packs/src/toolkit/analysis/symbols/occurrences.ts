import type { Language } from '../parse/grammar.ts'
import { Lines } from '../parse/lines.ts'
import { parsed, symbolsIn } from './symbols.ts'

/** A place where a name stands. */
export interface Occurrence {
  readonly line: number
  /** The line, cut. */
  readonly text: string
  /** What is defined there; without it, the name is used. */
  readonly kind: string | undefined
  readonly container: string | undefined
}

const MOST = 2000
const LONGEST = 200
const NO_CODE = /comment|string|char_literal|character_literal|content|heredoc|^text$|regex|rune/

/** Where a name stands in the code of a file: not in its comments or texts. */
export async function occurrencesOf(
  file: string,
  source: string,
  language: Language,
  name: string,
): Promise<Occurrence[]> {
  const places = placesOf(source, name)
  if (places.length === 0) return []
  const lines = new Lines(source)
  const { inCode, defined } = await parsed(file, source, language, (tree, query) => {
    const { definitions } = symbolsIn(tree, query, { source, language })
    const typeAt = (at: number): string => tree.rootNode.descendantForIndex(at, at + name.length)?.type ?? ''
    return {
      inCode: places.filter(at => !NO_CODE.test(typeAt(at))),
      defined: new Map(definitions.map(definition => [definition.at, definition])),
    }
  })
  return inCode.map(at => {
    const { kind, container } = defined.get(at) ?? qualified(defined, at, name) ?? {}
    return { line: lines.at(at), text: lineAt(source, at), kind, container }
  })
}

/** `Box::fit` defines `fit`. */
function qualified<T extends { name: string }>(
  defined: ReadonlyMap<number, T>,
  at: number,
  name: string,
): T | undefined {
  for (const [start, definition] of defined) {
    const isInside = start < at && at + name.length === start + definition.name.length
    if (isInside && /(?:::|\.|~)\s*$/.test(definition.name.slice(0, at - start))) return definition
  }
  return undefined
}

function placesOf(source: string, name: string): number[] {
  const places: number[] = []
  for (let at = source.indexOf(name); at >= 0 && places.length < MOST; at = source.indexOf(name, at + name.length)) {
    const isWhole = !isLetter(source[at - 1]) && !isLetter(source[at + name.length])
    if (isWhole) places.push(at)
  }
  return places
}

const isLetter = (letter: string | undefined): boolean => letter !== undefined && /[\p{L}\p{N}_$]/u.test(letter)

function lineAt(source: string, at: number): string {
  const start = source.lastIndexOf('\n', at - 1) + 1
  const end = source.indexOf('\n', at)
  return source
    .slice(start, end < 0 ? undefined : end)
    .trim()
    .slice(0, LONGEST)
}
