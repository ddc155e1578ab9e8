import type { Flat } from './flat.ts'
import { ROLE } from './roles.ts'
import { openScope } from './scope.ts'
import type { Scope } from './scope.ts'

/** Where nodes stand: for which function each counts, and how deep in its branches. */
export interface Nesting {
  readonly scopes: readonly Scope[]
  /** By node: index into `scopes`, plus one; 0 is outside of every function. */
  readonly scope: Int32Array
  readonly depth: Uint16Array
}

const NESTING = ROLE.if | ROLE.elif | ROLE.else | ROLE.loop | ROLE.switch | ROLE.ternary | ROLE.catch

/** Find the functions, and for every node the function it belongs to and its depth there. */
export function nestingOf(flat: Flat): Nesting {
  const { count, parent } = flat
  const scopes: Scope[] = []
  const scope = new Int32Array(count)
  const opened = new Int32Array(count)
  const depth = new Uint16Array(count)
  // Like depth, but an expression with a branch in it is no deeper block.
  const level = new Uint16Array(count)
  for (let at = 1; at < count; at++) {
    const up = parent[at]!
    if (opened[up] === 0) {
      const deeper = nests(flat, at)
      scope[at] = scope[up]!
      depth[at] = depth[up]! + deeper
      level[at] = level[up]! + (flat.is(up, ROLE.ternary) ? 0 : deeper)
    } else scope[at] = opened[up]!
    const outer = scopes[scope[at]! - 1]
    if (outer) outer.nesting = Math.max(outer.nesting, level[at]!)
    if (isFunction(flat, at, outer)) opened[at] = scopes.push(openScope(at, outer, depth[at]!))
  }
  return { scopes, scope, depth }
}

/** One if the node is a branch of its parent, so that what is in it is harder to follow. */
function nests(flat: Flat, at: number): 0 | 1 {
  const around = flat.role(flat.parent[at]!)
  if (!(around & (NESTING | ROLE.deciding))) return 0
  const role = flat.role(at)
  const field = flat.field[at]!
  const { fields } = flat.roles
  if (!(role & ROLE.named) || role & (ROLE.else | ROLE.elif)) return 0
  // What follows the `else` of a declaration runs only if the declaration failed.
  if (!(around & NESTING)) return field === fields.alternative ? 1 : 0
  if (role & ROLE.if && isElseIf(flat, at)) return 0
  return fields.beside[field] === 1 ? 0 : 1
}

/** Does the `if` follow an `else`? Then it is one more condition, not a deeper one. */
export function isElseIf(flat: Flat, at: number): boolean {
  const up = flat.parent[at]!
  if (flat.is(up, ROLE.else)) return true
  return flat.is(up, ROLE.if) && flat.field[at] === flat.roles.fields.alternative
}

function isFunction(flat: Flat, at: number, outer: Scope | undefined): boolean {
  return flat.is(at, ROLE.function) && hasBody(flat, at) && !(outer && isMacro(flat, at))
}

function hasBody(flat: Flat, at: number): boolean {
  const { body } = flat.roles.fields
  return flat.children(at).some(child => flat.field[child] === body || flat.is(child, ROLE.body))
}

/** Inside a function: what has no type and stands in no class is a macro with a block, and its code the function's. */
function isMacro(flat: Flat, at: number): boolean {
  const { grammar, fields } = flat.roles
  if (flat.kind(at) !== grammar.macros || flat.inField(at, fields.type) !== undefined) return false
  return !flat.is(flat.parent[flat.parent[at]!]!, ROLE.container)
}
