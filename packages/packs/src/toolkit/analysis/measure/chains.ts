import type { Flat } from './flat.ts'
import { ROLE } from './roles.ts'

/** Chains of logical operators: each run of like ones is one thing to understand. */
export class Chains {
  readonly #flat: Flat
  /** By node: the outermost node of its chain, plus one. */
  readonly #outermost: Int32Array
  /** By chain: the operator that came last. */
  readonly #last = new Map<number, number>()

  constructor(flat: Flat) {
    this.#flat = flat
    this.#outermost = new Int32Array(flat.count)
  }

  /** Is this operator of a node another one than that before it in the chain? */
  isNew(node: number, operator: number): boolean {
    const chain = this.#chainOf(node)
    const isNew = this.#last.get(chain) !== operator
    this.#last.set(chain, operator)
    return isNew
  }

  #chainOf(node: number): number {
    const way: number[] = []
    let at = node
    while (this.#outermost[at] === 0) {
      way.push(at)
      const around = this.#around(at)
      if (around === undefined) break
      at = around
    }
    const known = this.#outermost[at]!
    const chain = known === 0 ? at : known - 1
    for (const passed of way) this.#outermost[passed] = chain + 1
    return chain
  }

  /** The logical operator whose operand this one is, parentheses aside. */
  #around(node: number): number | undefined {
    const flat = this.#flat
    let up = flat.parent[node]!
    while (flat.is(up, ROLE.paren)) up = flat.parent[up]!
    if (!flat.is(up, ROLE.deciding)) return undefined
    const isLogical = (child: number): boolean => flat.is(child, ROLE.and | ROLE.or)
    return flat.children(up).some(isLogical) ? up : undefined
  }
}
