import type { Node, QueryCapture, QueryMatch } from '@vscode/tree-sitter-wasm'
import type { Language } from '../parse/grammar.ts'
import { declaredBy } from './declarators.ts'
import { isExported } from './exported.ts'
import { signatureOf } from './signature.ts'

/** A definition as it stands in the text, before it is known what it is part of. */
export interface Raw {
  readonly name: string
  readonly kind: string
  readonly at: number
  readonly from: number
  readonly to: number
  readonly exported: boolean
  /** What it says it belongs to, such as `Box` in `Box::fit` and in `Box.prototype.fit`. */
  readonly owner?: string | undefined
  readonly signature?: string | undefined
}

const HELPERS = ['name', 'declarator', 'owner', 'callee', 'requirer']
const LONGEST = 200
const DEFINE = /^[ \t]*#[ \t]*define[ \t]+(\w+)/gm
const EXPORTS = /^(?:module\s*\.\s*)?exports$/

interface Named {
  readonly node: Node
  readonly kind: string
}

/** A text and its language. */
export interface Text {
  readonly source: string
  readonly language: Language
  /** Only names and places are asked for. */
  readonly isBrief?: boolean
}

/** What the matches of a query define. */
export function definitionsIn(matches: readonly QueryMatch[], { source, language, isBrief = false }: Text): Raw[] {
  return matches.flatMap(({ captures }) => {
    const take = (name: string): Node | undefined => captures.find(capture => capture.name === name)?.node
    const whole = captures.find(isWhole)
    if (!whole || !isRequire(take('requirer'), source)) return []
    const declared = named(whole, { name: take('name'), declarator: take('declarator') }, source)
    if (!declared) return []
    const { kind, node: place } = declared
    const owner = take('owner')
    const { node } = whole
    const range = { from: node.startIndex, to: node.endIndex }
    const { name, at, above } = spelled(source, place)
    const exported = !isBrief && isExported(node, name, language)
    const signature = isBrief ? undefined : signatureOf(source, { node, place, kind })
    const raw: Raw = { name, kind, at, ...range, exported, owner: above, signature }
    return owner ? owned(raw, source.slice(owner.startIndex, owner.endIndex)) : [raw]
  })
}

const isWhole = ({ name }: QueryCapture): boolean => !HELPERS.includes(name)

const isRequire = (node: Node | undefined, source: string): boolean =>
  node === undefined || /^(?:require|import)$/.test(source.slice(node.startIndex, node.endIndex))

function named(
  { node, name: kind }: QueryCapture,
  { name, declarator }: { readonly name: Node | undefined; readonly declarator: Node | undefined },
  source: string,
): Named | undefined {
  if (declarator) return declaredBy(declarator, { node, kind, source })
  return name && { node: name, kind: kind === 'required' ? 'import' : kind }
}

interface Spelled {
  readonly name: string
  readonly at: number
  readonly above: string | undefined
}

const PARTS = /^(?:([^]*)::\s*)?(operator\b[^]*|[^:<>]+)(?:<[^]*>)?$/

/** The name itself, without what it is part of, its type arguments, quotes and marks. */
function spelled(source: string, { startIndex, endIndex }: Node): Spelled {
  let end = endIndex
  // Of a name that was cut for the parser, all is meant.
  while (end - startIndex < LONGEST && /\w/.test(source[end] ?? '')) end += 1
  const written = source.slice(startIndex, end)
  if (/^(?:["']|:(?!:))/.test(written))
    return { name: written.replace(/^["':]|["']$/g, ''), at: startIndex + 1, above: undefined }
  // A conversion is named by its type: `operator bool() const`.
  const bare = written.replace(/(?<!\boperator\s*)\([^]*$/, '').trimEnd()
  const [, above, last = bare] = PARTS.exec(bare) ?? []
  return {
    name: last.trim().replace(/\s+/g, ' ').slice(0, LONGEST),
    at: startIndex + (above === undefined ? 0 : bare.indexOf(last, above.length)),
    above: above === undefined ? undefined : plain(above),
  }
}

/** Without type arguments, and with dots. */
const plain = (owner: string): string =>
  owner
    .replace(/<[^]*?>/g, '')
    .split('::')
    .map(part => part.trim())
    .join('.')

/** Something that is put into something else: `Box.prototype.fit = …`, `exports.fit = …`, `func (b *Box) Fit()`. */
function owned(raw: Raw, owner: string): Raw[] {
  const [, receiver] = /^\([^]*?(\w+)\s*(?:\[[^]*\])?\s*\)$/.exec(owner) ?? []
  if (receiver !== undefined) return [{ ...raw, owner: receiver }]
  if (owner === 'module' && raw.name === 'exports') return [{ ...raw, kind: 'function', exported: true }]
  if (EXPORTS.test(owner)) return [{ ...raw, kind: 'function', exported: true }]
  const above = owner
    .replace(/\s+/g, '')
    .replace(/^(?:module\.)?exports\./, '')
    .replace(/\.prototype$/, '')
  return [{ ...raw, owner: above.slice(0, LONGEST), exported: /^(?:module\.)?exports\b/.test(owner) }]
}

/** What directives define, which the parser does not see. */
export function macros(source: string, language: Language): Raw[] {
  if (language !== 'cpp') return []
  return [...source.matchAll(DEFINE)].map(({ index, 0: text, 1: name = '' }) => {
    const to = index + text.length
    return { name, kind: 'macro', at: to - name.length, from: index, to, exported: false }
  })
}
