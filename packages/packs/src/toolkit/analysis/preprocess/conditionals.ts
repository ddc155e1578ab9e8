import type { Token } from './tokens.ts'

/** What stands between two directives of a conditional. */
export interface Branch {
  readonly directive: Token
  /** What decides about it, spelled the same for `#ifdef A` and `#if defined(A)`; empty after `#else`. */
  readonly condition: string
  readonly items: readonly Item[]
}

/** `#if … #elif … #else … #endif`. */
export interface Conditional {
  readonly branches: readonly Branch[]
  readonly end: Token | undefined
}

/** A token, or a conditional with what it holds. */
export type Item = Token | Conditional

const OPENING = /^if(?:n?def)?$/
const NEXT = /^(?:elif(?:n?def)?|else)$/
const WORDS = /^#\s*(\w+)\s*([^]*)$/
const DEEPEST = 200

interface Open {
  readonly outer: Item[]
  readonly branches: { directive: Token; condition: string; items: Item[] }[]
}

/** Put conditionals together from their directives; one that is never closed ends with the file. */
export function conditionalsOf(tokens: readonly Token[], source: string): Item[] {
  const top: Item[] = []
  const open: Open[] = []
  let items = top
  for (const token of tokens) {
    const [word, rest] = token.kind === 'directive' ? wordsOf(token, source) : ['', '']
    const inner = open.at(-1)
    const isOpening = OPENING.test(word) && open.length < DEEPEST
    if (isOpening || (inner && NEXT.test(word))) {
      const branch = { directive: token, condition: conditionOf(word, rest), items: [] }
      if (isOpening) open.push({ outer: items, branches: [branch] })
      else inner?.branches.push(branch)
      items = branch.items
    } else if (inner && word === 'endif') {
      inner.outer.push({ branches: inner.branches, end: token })
      items = inner.outer
      open.pop()
    } else items.push(token)
  }
  for (const { outer, branches } of open.toReversed()) outer.push({ branches, end: undefined })
  return top
}

function wordsOf({ start, end }: Token, source: string): [string, string] {
  const [, word = '', rest = ''] = WORDS.exec(source.slice(start, end)) ?? []
  return [word, rest.replace(/\/\*[^]*?\*\//g, ' ').trim()]
}

function conditionOf(word: string, rest: string): string {
  if (word === 'else') return ''
  const isNot = word.endsWith('ndef')
  if (word.endsWith('def')) return `${isNot ? '!' : ''}defined ${rest.split(/\s/, 1)[0] ?? ''}`
  return rest.replace(/\bdefined\s*\(\s*(\w+)\s*\)/g, 'defined $1').replace(/\s+/g, ' ')
}
