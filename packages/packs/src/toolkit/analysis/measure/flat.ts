import type { Tree } from '@vscode/tree-sitter-wasm'
import type { Cursor } from '../parse/cursor.ts'
import { ERROR, ROLE } from './roles.ts'
import type { Roles } from './roles.ts'

const CLOSED = ROLE.atom | ROLE.leaf
// Only under these do we ask in which field a node stands.
const FIELDED =
  ROLE.function |
  ROLE.if |
  ROLE.elif |
  ROLE.loop |
  ROLE.switch |
  ROLE.ternary |
  ROLE.catch |
  ROLE.container |
  ROLE.carrier |
  ROLE.declarator
// The positions of other inner nodes are not needed.
const MARKED = ROLE.function | ROLE.call | ROLE.string

/** A syntax tree as columns: nodes in the order of the text, each right before what is in it. */
export class Flat {
  readonly roles: Roles
  readonly source: string
  readonly count: number
  readonly type: Uint16Array
  readonly parent: Int32Array
  /** The first node behind this one and all that is in it. */
  readonly next: Int32Array
  readonly field: Uint8Array
  /** Where named nodes begin and end in the text: those without children, in a field, functions, calls and strings. */
  readonly start: Int32Array
  readonly end: Int32Array
  /** Nodes that the parser could not make sense of, or had to make up. */
  readonly faults: number[] = []

  constructor(roles: Roles, source: string, count: number) {
    this.roles = roles
    this.source = source
    this.count = count
    this.type = new Uint16Array(count)
    this.parent = new Int32Array(count)
    this.next = new Int32Array(count)
    this.field = new Uint8Array(count)
    this.start = new Int32Array(count)
    this.end = new Int32Array(count)
  }

  /** What a node is to us. */
  role(at: number): number {
    return this.roles.of[this.type[at]!]!
  }

  is(at: number, roles: number): boolean {
    return (this.role(at) & roles) !== 0
  }

  /** What the parser calls a node. */
  kind(at: number): string {
    return this.roles.types[this.type[at]!] ?? 'ERROR'
  }

  /** The text of a named node; a token's is its kind. */
  text(at: number): string {
    return this.is(at, ROLE.named) ? this.source.slice(this.start[at], this.end[at]) : this.kind(at)
  }

  isLeaf(at: number): boolean {
    return this.next[at] === at + 1
  }

  /** The nodes right below one. */
  children(at: number): number[] {
    const end = this.next[at]!
    const found: number[] = []
    for (let child = at + 1; child < end; child = this.next[child]!) found.push(child)
    return found
  }

  /** The child in a field. */
  inField(at: number, field: number): number | undefined {
    return field <= 0 ? undefined : this.children(at).find(child => this.field[child] === field)
  }
}

/** What was parsed, and what its nodes mean. */
export interface Text {
  readonly roles: Roles
  readonly source: string
}

/** Copy a tree out of the parser's memory, in one walk: asking it node by node would cost far more. */
export function flatten(tree: Tree, open: (tree: Tree) => Cursor, { roles, source }: Text): Flat {
  const { descendantCount, hasError } = tree.rootNode
  const flat = new Flat(roles, source, descendantCount)
  const cursor = open(tree)
  let at = 0
  let parent = -1
  do {
    take(flat, at, parent, cursor)
    if (hasError && (flat.type[at] === ERROR || cursor.isMissing())) fault(flat, at, cursor)
    if (isOpen(flat, at) && cursor.toFirstChild()) parent = at
    else {
      if (flat.is(at, ROLE.named)) mark(flat, at, cursor)
      parent = onwards(flat, at, parent, cursor)
    }
    at += 1
  } while (parent >= 0)
  cursor.close()
  return flat
}

function take(flat: Flat, at: number, parent: number, cursor: Cursor): void {
  flat.type[at] = cursor.type()
  flat.parent[at] = parent
  if (parent >= 0 && flat.is(parent, FIELDED)) flat.field[at] = cursor.field()
  if (flat.field[at] !== 0 || flat.is(at, MARKED)) mark(flat, at, cursor)
}

function mark(flat: Flat, at: number, cursor: Cursor): void {
  flat.start[at] = cursor.start()
  flat.end[at] = cursor.end()
}

function fault(flat: Flat, at: number, cursor: Cursor): void {
  mark(flat, at, cursor)
  flat.faults.push(at)
}

/** Is it worth looking below? A text without braces holds no code. */
function isOpen(flat: Flat, at: number): boolean {
  const role = flat.role(at)
  if (!(role & ROLE.named) || role & CLOSED) return false
  return !(role & ROLE.string) || flat.text(at).includes('{')
}

/** Close what ends here and go to what comes next; its parent, or -1 at the end. */
function onwards(flat: Flat, at: number, parent: number, cursor: Cursor): number {
  flat.next[at] = at + 1
  let up = parent
  while (up >= 0 && !cursor.toNextSibling()) {
    cursor.toParent()
    flat.next[up] = at + 1
    up = flat.parent[up]!
  }
  return up
}
