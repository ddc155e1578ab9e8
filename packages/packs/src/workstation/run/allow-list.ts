import { fitsPattern } from '@causeway/engine/internal'
import { splitCommand } from './split-command.ts'

/** Whether words may be run, with these variables. */
export type AllowList = (words: readonly string[], variables?: Readonly<Record<string, string>>) => boolean

/**
 * Which commands may be run. A pattern of one word names a program, with any arguments; one of several words names
 * the arguments too, each with `*` for anything in it, and a last `*` alone for any number of them. `*` is everything.
 * Variables stand in front, as `NAME=*` or `NAME=value`: a variable can make a program run another one.
 */
export function allowList(patterns: readonly string[]): AllowList {
  const tests = patterns.map(pattern => {
    if (pattern.trim() === '*') return () => true
    const parts = splitCommand(pattern)
    const at = parts.findIndex(part => !VARIABLE.test(part))
    const variables = new Map(parts.slice(0, at === -1 ? 0 : at).map(splitVariable))
    const program = parts.slice(variables.size)
    return (words: readonly string[], given: Readonly<Record<string, string>>) =>
      names(program, words) && Object.entries(given).every(([name, value]) => fitsVariable(variables.get(name), value))
  })
  return (words, given = {}) => tests.some(test => test(words, given))
}

const VARIABLE = /^[A-Za-z_]\w*=/

function splitVariable(part: string): [name: string, pattern: string] {
  const at = part.indexOf('=')
  return [part.slice(0, at), part.slice(at + 1)]
}

const fitsVariable = (pattern: string | undefined, value: string): boolean =>
  pattern !== undefined && fitsPattern(value, pattern)

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
