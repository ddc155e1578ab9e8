import { fitsPattern } from '@causeway/engine/internal'
import { splitCommand } from './split-command.ts'

/**
 * Which commands may be run. A pattern of one word names a program, with any arguments; one of several words names
 * the arguments too, each with `*` for anything in it, and a last `*` alone for any number of them. `*` is everything.
 */
export function allowList(patterns: readonly string[]): (words: readonly string[]) => boolean {
  const tests = patterns.map(pattern => {
    const parts = splitCommand(pattern)
    return pattern.trim() === '*' ? () => true : (words: readonly string[]) => names(parts, words)
  })
  return words => tests.some(test => test(words))
}

function names([program = '', ...args]: readonly string[], [first = '', ...rest]: readonly string[]): boolean {
  // A path may not climb out of the directory that a pattern names.
  if (first.split(/[/\\]/).includes('..') || !fitsPath(first, program)) return false
  if (args.length === 0) return true
  const isOpen = args.at(-1) === '*'
  const fixed = isOpen ? args.slice(0, -1) : args
  if (isOpen ? rest.length < fixed.length : rest.length !== fixed.length) return false
  return fixed.every((pattern, i) => fitsPattern(rest[i] ?? '', pattern))
}

/** The same where `*` stands for anything but a slash of either kind. */
function fitsPath(path: string, pattern: string): boolean {
  const [parts, wanted] = [path, pattern].map(text => text.split(/([/\\])/)) as [string[], string[]]
  return parts.length === wanted.length && parts.every((part, i) => fitsPattern(part, wanted[i] ?? ''))
}
