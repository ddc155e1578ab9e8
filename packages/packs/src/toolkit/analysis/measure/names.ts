import type { Definition } from '../symbols/definition.ts'
import { isCallable } from '../symbols/definition.ts'
import type { Flat } from './flat.ts'
import { ROLE } from './roles.ts'

/** What a function is called, and what that belongs to. */
export interface Name {
  readonly simple: string
  /** The class, type or object it belongs to; empty if none. */
  readonly container: string
  /** Part of something without a name, so that its bare name does not mean it. */
  readonly isMember: boolean
  /** What its own object is called in it, where that has a name. */
  readonly receiver: string
  /** Where the name stands in the text, or where the function begins. */
  readonly start: number
}

/** Names the functions of a file. */
export type Namer = (node: number) => Name

const LONGEST = 100
const ANONYMOUS = '<anonymous>'
const RECEIVER = /^\(\s*(?:(\w+)\s+)?\**\s*(\w+)/

/** Names functions as the definitions of their file do; what defines nothing, by the variable that holds it. */
export function namer(flat: Flat, definitions: readonly Definition[]): Namer {
  const byEnd = new Map<number, Definition[]>()
  for (const one of definitions) byEnd.set(one.to, [...(byEnd.get(one.to) ?? []), one])
  const holders = holdersOf(definitions)
  return node => {
    const own = definedBy(byEnd.get(flat.end[node]!) ?? [], flat.start[node]!)
    const place = flat.inField(node, flat.roles.fields.name)
    const shared = {
      isMember: isMember(flat, own === undefined || own.from < flat.start[node]! ? carrierOf(flat, node) : node),
      receiver: receiverOf(flat, node),
    }
    if (own) return { simple: own.name.slice(0, LONGEST), container: holders.get(own) ?? '', start: own.at, ...shared }
    const simple = place === undefined ? (operatorName(flat, node) ?? carriedName(flat, node)) : textOf(flat, place)
    return { simple, container: containerOf(flat, node), start: flat.start[place ?? node]!, ...shared }
  }
}

/** The name with what it belongs to, as people write it. */
export const fullName = ({ simple, container }: Name, { separator }: { separator: string }): string =>
  container === '' || simple === ANONYMOUS ? simple : container + separator + simple

/** The innermost of the definitions that end with a function and begin with it, or with the name that it is given. */
const definedBy = (ending: readonly Definition[], start: number): Definition | undefined =>
  ending.findLast(({ kind, from, at }) => from === start || (from < start && at < start && isCallable(kind)))

/** What each definition belongs to: a type or an object, but no function and no namespace around it. */
function holdersOf(definitions: readonly Definition[]): Map<Definition, string> {
  const holders = new Map<Definition, string>()
  const open: Definition[] = []
  for (const one of definitions) {
    while (open.length > 0 && one.from >= open.at(-1)!.to) open.pop()
    const last = one.container?.slice(one.container.lastIndexOf('.') + 1) ?? ''
    const around = open.findLast(({ name }) => name === last)
    const isPlace = around !== undefined && one.owner === undefined && isAround(around)
    if (last !== '' && !isPlace) holders.set(one, last)
    open.push(one)
  }
  return holders
}

const isAround = ({ kind }: Definition): boolean => isCallable(kind) || kind === 'namespace' || kind === 'module'

/** C# names an operator by its sign. */
function operatorName(flat: Flat, node: number): string | undefined {
  const place = flat.inField(node, flat.roles.fields.id('operator'))
  return place === undefined ? undefined : `operator ${textOf(flat, place)}`
}

function receiverOf(flat: Flat, node: number): string {
  const place = flat.inField(node, flat.roles.fields.receiver)
  const [, name = ''] = (place !== undefined && RECEIVER.exec(flat.text(place))) || []
  return name
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
