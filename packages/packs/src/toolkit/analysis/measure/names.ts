import type { Flat } from './flat.ts'
import { ROLE } from './roles.ts'

/** What a function is called, and what that belongs to. */
export interface Name {
  readonly simple: string
  /** The class, type or property it belongs to; empty if none. */
  readonly container: string
  /** Part of something without a name, so that its bare name does not mean it. */
  readonly isMember: boolean
  /** What its own object is called in it, where that has a name. */
  readonly receiver: string
  /** Where the name stands in the text, or where the function begins. */
  readonly start: number
}

const LONGEST = 100
const ANONYMOUS = '<anonymous>'
// The parser takes a macro before the name, as in `int EXPORT open(void)`, for a part of it.
const MACRO = /^(?!operator\b)\w+ (?=[\w:~]+$)/
const RECEIVER = /^\(\s*(?:(\w+)\s+)?\**\s*(\w+)/

/** Name a function: by its own name, else by what it is assigned to. */
export function nameOf(flat: Flat, node: number): Name {
  const place = ownName(flat, node)
  const [receiver, type] = receiverOf(flat, node)
  const written = place === undefined ? (operatorName(flat, node) ?? carriedName(flat, node)) : named(flat, place)
  // What is written outside of its class names the class itself.
  const [, outside = '', simple = written] = /^(.+)::([^:]+)$/.exec(written) ?? []
  return {
    simple,
    container: type || outside || containerOf(flat, node),
    isMember: isMember(flat, place === undefined ? carrierOf(flat, node) : node),
    receiver,
    start: flat.start[place !== undefined && flat.is(place, ROLE.named) ? place : node]!,
  }
}

/** The name with what it belongs to, as people write it. */
export const fullName = ({ simple, container }: Name, { separator }: { separator: string }): string =>
  container === '' || simple === ANONYMOUS ? simple : container + separator + simple

const named = (flat: Flat, place: number): string =>
  flat.roles.grammar.macros === undefined ? textOf(flat, place) : textOf(flat, place).replace(MACRO, '')

function operatorName(flat: Flat, node: number): string | undefined {
  const place = flat.inField(node, flat.roles.fields.id('operator'))
  return place === undefined ? undefined : `operator ${textOf(flat, place)}`
}

function receiverOf(flat: Flat, node: number): [string, string] {
  const place = flat.inField(node, flat.roles.fields.receiver)
  const [, name = '', type = ''] = (place !== undefined && RECEIVER.exec(flat.text(place))) || []
  return [name, type]
}

function ownName(flat: Flat, node: number): number | undefined {
  const own = flat.inField(node, flat.roles.fields.name)
  if (own !== undefined) return own
  const declarator = declaratorOf(flat, node)
  const [first] = declarator === undefined ? [] : flat.children(declarator)
  return first === undefined || /parameter/.test(flat.kind(first)) ? undefined : first
}

/** Where languages wrap the name in what it declares: the first declarator before the body. */
export function declaratorOf(flat: Flat, node: number): number | undefined {
  if (!flat.roles.grammar.declarators) return undefined
  const body = flat.inField(node, flat.roles.fields.body) ?? node
  for (let at = node + 1; at < body; at++) if (flat.is(at, ROLE.declarator)) return at
  return undefined
}

const isMember = (flat: Flat, at: number): boolean => flat.roles.grammar.members?.includes(flat.kind(at)) ?? false

function carrierOf(flat: Flat, node: number): number {
  let up = flat.parent[node]!
  while (flat.is(up, ROLE.paren) || flat.kind(up) === 'expression_list') up = flat.parent[up]!
  return up
}

function carriedName(flat: Flat, node: number): string {
  const up = carrierOf(flat, node)
  if (!flat.is(up, ROLE.carrier)) return ANONYMOUS
  const field = flat.roles.grammar.carriers[flat.kind(up)] ?? ''
  const place = flat.inField(up, flat.roles.fields.id(field))
  return place === undefined || place > node ? ANONYMOUS : textOf(flat, place)
}

/** The nearest thing with a name that holds the function, unless another function comes first. */
function containerOf(flat: Flat, node: number): string {
  for (let up = flat.parent[node]!; up > 0; up = flat.parent[up]!) {
    if (flat.is(up, ROLE.container)) {
      const place = flat.inField(up, flat.roles.fields.id(flat.roles.grammar.containers[flat.kind(up)] ?? ''))
      return place === undefined ? '' : textOf(flat, place).replace(/<.*$/, '')
    }
    if (flat.is(up, ROLE.function)) return ''
  }
  return ''
}

function textOf(flat: Flat, at: number): string {
  const line = flat.text(at).replace(/\s+/g, ' ')
  return line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line
}
