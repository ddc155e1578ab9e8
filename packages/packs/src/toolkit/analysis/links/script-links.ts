import type { Node } from '@vscode/tree-sitter-wasm'

const TYPES = /^(?:import|export)\s+type\b(?!\s*(?:from\b|,))/
const NAMED = /^(?:import|export)\s*\{([^}]*)\}/
const LONGEST = 20_000

/** Does a statement take types alone, which are gone when the program runs? */
export function styleOf(source: string, { type, startIndex, endIndex }: Node): 'type' | undefined {
  if (type === 'call_expression')
    return /\btypeof\s*$/.test(source.slice(Math.max(0, startIndex - 20), startIndex)) ? 'type' : undefined
  const text = source.slice(startIndex, Math.min(endIndex, startIndex + LONGEST))
  if (TYPES.test(text)) return 'type'
  const [, names] = NAMED.exec(text) ?? []
  const parts = (names ?? '').split(',').filter(name => name.trim() !== '')
  return parts.length > 0 && parts.every(name => /^\s*type\s+[\w$]/.test(name)) ? 'type' : undefined
}
