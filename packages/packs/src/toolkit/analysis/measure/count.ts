import { Chains } from './chains.ts'
import type { Flat } from './flat.ts'
import { ROLE } from './roles.ts'
import type { Scope } from './scope.ts'
import { isElseIf } from './nesting.ts'
import type { Nesting } from './nesting.ts'

// A call's qualifier and name, read where the call begins.
const CALLEE = /(?:([\w$]+)\s*(?:\.|\?\.|->|::)\s*)?(#?[\w$]+)\s*(?:(?:::)?<[^()<>]*>\s*)?\(/y
const STRUCTURE = ROLE.if | ROLE.loop | ROLE.switch | ROLE.ternary | ROLE.catch
const DECISION = ROLE.if | ROLE.elif | ROLE.loop | ROLE.ternary | ROLE.catch | ROLE.decision
const LOGICAL = ROLE.and | ROLE.or
const BRANCHING = STRUCTURE | DECISION | ROLE.arm | ROLE.jump | ROLE.goto

/** Count decisions, operators, operands and calls into the functions they belong to. */
export function count(flat: Flat, { scopes, scope, depth }: Nesting): void {
  const chains = new Chains(flat)
  for (let at = 1; at < flat.count; at++) {
    const owner = scopes[scope[at]! - 1]
    if (!owner) continue
    const role = flat.role(at)
    if (role & BRANCHING) branch(flat, at, owner, depth[at]!)
    else if (!(role & ROLE.named)) token(flat, at, { owner, depth: depth[at]!, chains })
    if (role & ROLE.call) call(flat, at, owner)
    if (!(role & ROLE.ignored)) halstead(flat, at, owner)
  }
  for (const fault of flat.faults) {
    for (let owner = scopes[scope[fault]! - 1]; owner; owner = owner.outer)
      owner.faulty ||= fault >= bodyOf(flat, owner)
  }
}

/** What could not be read before the body, such as a macro among the types, does not change what is counted. */
const bodyOf = (flat: Flat, { node }: Scope): number => flat.inField(node, flat.roles.fields.body) ?? node

/** McCabe counts the decision; cognitive complexity what breaks the flow, the more the deeper. */
function branch(flat: Flat, at: number, owner: Scope, depth: number): void {
  const role = flat.role(at)
  if (role & DECISION || (role & ROLE.arm && !isWild(flat, at))) owner.cyclomatic += 1
  if (role & ROLE.goto || (role & ROLE.jump && hasLabel(flat, at))) owner.own += 1
  if (role & ROLE.elif || (role & ROLE.if && isElseIf(flat, at))) owner.own += 1
  else if (role & STRUCTURE) structure(owner, depth)
}

function structure(owner: Scope, depth: number): void {
  owner.own += 1 + depth
  owner.structural += 1
}

const hasLabel = (flat: Flat, at: number): boolean => flat.children(at).some(child => flat.is(child, ROLE.label))

/** Does the arm take whatever is left? `_` does, and so does a bare name where names are never constants. */
function isWild(flat: Flat, arm: number): boolean {
  const pattern = flat.children(arm).find(child => flat.is(child, ROLE.named)) ?? arm
  let leaf = pattern
  while (!flat.isLeaf(leaf)) leaf += 1
  const isName = flat.kind(leaf) === 'identifier' && flat.kind(leaf - 1) === 'dotted_name'
  if (!isName && !flat.is(leaf, ROLE.wild)) return false
  return leaf + 1 === flat.next[pattern] || flat.kind(leaf + 1) === 'if'
}

interface At {
  readonly owner: Scope
  readonly depth: number
  readonly chains: Chains
}

function token(flat: Flat, at: number, { owner, depth, chains }: At): void {
  const up = flat.parent[at]!
  const role = flat.role(at)
  const isDecision = flat.is(up, ROLE.deciding) && flat.roles.deciding.has((flat.type[up]! << 16) | flat.type[at]!)
  if (isDecision) owner.cyclomatic += 1
  if (role & ROLE.elseWord) {
    if (isDecision) structure(owner, depth)
    else if (isBranch(flat, up) && !leadsToIf(flat, at)) owner.own += 1
  } else if (isDecision && role & LOGICAL && !isDefault(flat, up, role) && chains.isNew(up, role)) owner.own += 1
}

/** Is it `x = x || literal`, or the same where x is declared? That is a value, and nothing to understand. */
function isDefault(flat: Flat, node: number, role: number): boolean {
  const { defaults } = flat.roles.grammar
  const last = flat.children(node).at(-1)
  if (!defaults || role & ROLE.and || last === undefined || !defaults.includes(flat.kind(last))) return false
  const around = flat.parent[node]!
  if (flat.kind(around) === 'variable_declarator') return true
  const left =
    flat.kind(around) === 'assignment_expression' ? flat.inField(around, flat.roles.fields.id('left')) : undefined
  if (left === undefined) return false
  const name = flat.text(left)
  return (
    flat.source.startsWith(name, flat.start[node]) && /^\s*\|/.test(flat.source.slice(flat.start[node]! + name.length))
  )
}

/** Does an `else` here follow a condition? What is left over by a choice among cases does not. */
const isBranch = (flat: Flat, up: number): boolean =>
  flat.is(up, ROLE.if) || (flat.is(up, ROLE.else) && !flat.is(flat.parent[up]!, ROLE.switch))

function leadsToIf(flat: Flat, word: number): boolean {
  let at = word + 1
  while (at < flat.count && flat.is(at, ROLE.ignored)) at = flat.next[at]!
  return at < flat.count && flat.is(at, ROLE.if) && flat.parent[at] === flat.parent[word]
}

function call(flat: Flat, at: number, owner: Scope): void {
  CALLEE.lastIndex = flat.start[at]!
  const [, qualifier = '', name] = CALLEE.exec(flat.source) ?? []
  if (name !== undefined) owner.calls.add(`${qualifier} ${name}`)
}

/** Words and signs of the language are operators, names and literals operands; brackets are one operator each pair. */
function halstead(flat: Flat, at: number, owner: Scope): void {
  const role = flat.role(at)
  if (!(role & ROLE.named)) return owner.halstead.operator(flat.kind(at))
  if (!flat.isLeaf(at) && !(role & ROLE.string)) return
  const text = flat.text(at)
  if (text === '') return
  if (role & ROLE.keyword) owner.halstead.operator(text)
  else owner.halstead.operand(text)
}
