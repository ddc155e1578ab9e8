import { splitCommand } from './command-line.ts'

/**
 * Which commands may be run. A pattern of one word names a program, with any arguments; one of several words names
 * the arguments too, each with `*` for anything in it, and a last `*` alone for any number of them. `*` is everything.
 */
export function allowed(patterns: readonly string[]): (words: readonly string[]) => boolean {
  const tests = patterns.map(pattern => {
    const parts = splitCommand(pattern)
    return pattern.trim() === '*' ? () => true : (words: readonly string[]) => names(parts, words)
  })
  return words => tests.some(test => test(words))
}

function names([program = '', ...args]: readonly string[], [first = '', ...rest]: readonly string[]): boolean {
  // A path may not climb out of the directory that a pattern names.
  if (first.split(/[/\\]/).includes('..') || !isLike(program, first, false)) return false
  if (args.length === 0) return true
  const isOpen = args.at(-1) === '*'
  const fixed = isOpen ? args.slice(0, -1) : args
  if (isOpen ? rest.length < fixed.length : rest.length !== fixed.length) return false
  return fixed.every((pattern, i) => isLike(pattern, rest[i] ?? '', true))
}

/** `*` stands for anything, in a program's name for anything but a slash. */
function isLike(pattern: string, word: string, slashes: boolean): boolean {
  const pieces = pattern.split('*')
  const [head = '', ...others] = pieces
  if (others.length === 0) return word === pattern
  const tail = others.pop() ?? ''
  if (!word.startsWith(head) || !word.endsWith(tail) || word.length < head.length + tail.length) return false
  let at = head.length
  const end = word.length - tail.length
  const gaps: string[] = []
  for (const piece of others) {
    const found = word.indexOf(piece, at)
    if (found < 0 || found + piece.length > end) return false
    gaps.push(word.slice(at, found))
    at = found + piece.length
  }
  return slashes || ![...gaps, word.slice(at, end)].some(gap => /[/\\]/.test(gap))
}
