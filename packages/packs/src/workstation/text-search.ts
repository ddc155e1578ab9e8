import { createContext, runInContext } from 'node:vm'
import { fault } from '@causeway/engine'
import { readAll, reading } from '../support/file.ts'
import { glob } from '../support/glob.ts'
import { toText } from './reading.ts'
import type { Found } from './walk.ts'

const LARGEST = 10 * 1024 * 1024
const LONGEST_TEXT = 300
const MOST_BRACES = 64
// How long an expression may think about one file.
const PATIENCE_MS = 250

/** A test for the names that are wanted; undefined if all are. */
export function nameTest(pattern: string | undefined): ((path: string) => boolean) | undefined {
  if (pattern === undefined || pattern === '') return undefined
  const tests = braces(pattern.replace(/^\.\//, '')).map(glob)
  return path => tests.some(test => test(path))
}

/** `a.{b,c}` → `a.b`, `a.c`. */
function braces(pattern: string): string[] {
  let all = [pattern]
  for (;;) {
    const next = all.flatMap(one => {
      const [whole, inner] = /\{([^{}]*,[^{}]*)\}/.exec(one) ?? []
      return whole === undefined || inner === undefined
        ? [one]
        : inner.split(',').map(part => one.replace(whole, () => part))
    })
    if (next.length > MOST_BRACES) throw fault('invalid-arguments', `Parameter 'pattern' has too many braces.`)
    if (next.length === all.length) return next
    all = next
  }
}

/** The lines of a file that match, at most so many. */
export type Finder = (found: Found, most: number) => Promise<{ line: number; text: string }[]>

/** What lines must contain, and how that is meant. */
export interface Wanted {
  readonly content?: string
  readonly regex?: boolean
  readonly caseSensitive?: boolean
}

/** Finds the lines of a file that contain something; undefined if nothing is wanted. */
export function lineFinder({ content, regex = false, caseSensitive = true }: Wanted): Finder | undefined {
  if (content === undefined || content === '') return undefined
  const source = regex ? content : content.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)
  const flags = caseSensitive ? 'gmu' : 'gimu'
  const positions = regex
    ? scanner(source, flags)
    : (words: string, most: number) => scan(new RegExp(source, flags), words, most)
  return async ({ dir, entry }, most) => {
    const place = { path: `${dir.path}/${entry.name}`, name: entry.name, dir, at: dir.at(entry.name) }
    const bytes = await reading(place, file => readAll(file, LARGEST)).catch(() => undefined)
    const words = bytes && toText(bytes)
    return words === undefined ? [] : linesAt(words, positions(words, most))
  }
}

/** Expressions come from outside and may take for ever, so they run where they can be stopped. */
function scanner(source: string, flags: string): (words: string, most: number) => number[] {
  const scope: { source: string; flags: string; words: string; most: number } = { source, flags, words: '', most: 0 }
  createContext(scope)
  try {
    runInContext('var expression = new RegExp(source, flags)', scope)
  } catch (error) {
    const why = String(error).replace(/^SyntaxError: /, '')
    throw fault('invalid-arguments', `Parameter 'content': ${why}. Set regex to false to take it as text.`)
  }
  return (words, most) => {
    Object.assign(scope, { words, most })
    try {
      return Array.from(
        runInContext(`(${scan.toString()})(expression, words, most)`, scope, { timeout: PATIENCE_MS }) as number[],
      )
    } catch (error) {
      throw new Error('The regular expression takes too long: make it simpler, or set regex to false', { cause: error })
    }
  }
}

/** One position for each line that matches; it uses nothing from outside, so that it can be run elsewhere. */
function scan(expression: RegExp, words: string, most: number): number[] {
  const found: number[] = []
  expression.lastIndex = 0
  for (let hit = expression.exec(words); hit && found.length < most; hit = expression.exec(words)) {
    found.push(hit.index)
    const end = words.indexOf('\n', hit.index)
    if (end < 0) break
    expression.lastIndex = end + 1
  }
  return found
}

function linesAt(words: string, positions: readonly number[]): { line: number; text: string }[] {
  let [line, counted] = [1, 0]
  return positions.map(at => {
    for (let i = words.indexOf('\n', counted); i >= 0 && i < at; i = words.indexOf('\n', i + 1)) {
      line++
      counted = i + 1
    }
    const end = words.indexOf('\n', at)
    const text = words.slice(at === 0 ? 0 : words.lastIndexOf('\n', at - 1) + 1, end < 0 ? undefined : end).trimEnd()
    return { line, text: text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT)}…` : text }
  })
}
