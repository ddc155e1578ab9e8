import type { CharacterSet } from './character-set.ts'
import type { Node } from './syntax.ts'

// Longer ones say no more about a line, and Buffer.indexOf does not take linear time for them.
const LONGEST = 64

/** A text that is in everything that matches, the longest that is easily found; '' if there is none. */
export function requiredText(node: Node): string {
  if (node.type === 'repeat') return node.least > 0 ? requiredText(node.node) : ''
  if (node.type === 'set') return letterOf(node.set) ?? ''
  if (node.type !== 'sequence') return ''
  let [best, run] = ['', '']
  // What takes no room interrupts no text.
  for (const part of flat(node).filter(({ type }) => type !== 'assert')) {
    const letter = part.type === 'set' ? letterOf(part.set) : undefined
    run = letter === undefined ? '' : run + letter
    best = longer(best, letter === undefined ? requiredText(part) : run)
  }
  return Array.from(best).slice(0, LONGEST).join('')
}

const longer = (a: string, b: string): string => (b.length > a.length ? b : a)
const flat = (node: Node): readonly Node[] => (node.type === 'sequence' ? node.parts.flatMap(flat) : [node])

const letterOf = ([range, ...more]: CharacterSet): string | undefined =>
  range && more.length === 0 && range[0] === range[1] ? String.fromCodePoint(range[0]) : undefined

/** Where some bytes are found next, in linear time however long they are; letters of either case if asked. */
export function byteFinder(wanted: Buffer, ignoreCase: boolean): (bytes: Buffer, from: number) => number {
  if (!ignoreCase && wanted.length <= LONGEST) return (bytes, from) => bytes.indexOf(wanted, from)
  const fold = Uint8Array.from({ length: 256 }, (_, byte) =>
    ignoreCase && byte >= 65 && byte <= 90 ? byte + 32 : byte,
  )
  const pattern = wanted.map(byte => fold[byte]!)
  const back = fallbacks(pattern)
  return (bytes, from) => {
    let matched = 0
    for (let i = from; i < bytes.length; i++) {
      const byte = fold[bytes[i]!]!
      while (matched > 0 && pattern[matched] !== byte) matched = back[matched - 1]!
      if (pattern[matched] === byte) matched++
      if (matched === pattern.length) return i - matched + 1
    }
    return -1
  }
}

/** For each beginning of the pattern, how long its longest beginning is that is also its end (Knuth, Morris, Pratt). */
function fallbacks(pattern: Uint8Array): Int32Array {
  const back = new Int32Array(pattern.length)
  let matched = 0
  for (let i = 1; i < pattern.length; i++) {
    while (matched > 0 && pattern[matched] !== pattern[i]) matched = back[matched - 1]!
    if (pattern[matched] === pattern[i]) matched++
    back[i] = matched
  }
  return back
}
