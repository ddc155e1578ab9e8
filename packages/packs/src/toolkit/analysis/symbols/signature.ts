import type { Node } from '@vscode/tree-sitter-wasm'

const LONGEST = 120
const CALLABLE = new Set(['function', 'method', 'constructor', 'prototype', 'impl'])
const VALUE_FIELDS = ['value', 'right'] as const

// Nothing stands between their parameters and their bodies.
const BRIEF = new Set(['method', 'singleton_method'])

interface Place {
  readonly node: Node
  /** Where the name is. */
  readonly place: Node
  readonly kind: string
}

/** What stands between the name of a function and its body, on one line. */
export function signatureOf(source: string, { node, place, kind }: Place): string | undefined {
  if (!CALLABLE.has(kind)) return undefined
  const end = bodyOf(node)?.startIndex ?? node.endIndex
  const given = node.childForFieldName('parameters')
  const start = kind === 'impl' ? node.startIndex : place.endIndex
  const written = source
    .slice(start, Math.max(start, BRIEF.has(node.type) && given ? given.endIndex : end))
    .slice(0, 10 * LONGEST)
    .replace(/\s+/g, ' ')
    .replace(/^ ?(?:= ?(?:[\w$.]+ ?= ?)?|: ?)?(?:async )?(?:function\b ?\*? ?[\w$]* ?)?/, '')
    .replace(/(?: |[:={;]|=>)+$/, '')
  if (kind !== 'impl' && !/^[(<[]/.test(written)) return undefined
  return written.length > LONGEST ? `${written.slice(0, LONGEST)}…` : written
}

function bodyOf(node: Node): Node | null {
  const own = node.childForFieldName('body')
  if (own) return own
  for (const field of VALUE_FIELDS) {
    const value = node.childForFieldName(field)
    const body = value && bodyOf(value)
    if (body) return body
  }
  return null
}
