import type { Halstead } from './metrics.ts'
import { round } from './metrics.ts'

/** Counts operators and operands as they come. */
export class HalsteadCounter {
  readonly #operators = new Set<number | string>()
  readonly #operands = new Set<string>()
  #allOperators = 0
  #allOperands = 0

  operator(token: number | string): void {
    this.#operators.add(token)
    this.#allOperators += 1
  }

  operand(text: string): void {
    this.#operands.add(text)
    this.#allOperands += 1
  }

  /** Volume N·log₂n, difficulty n₁/2 · N₂/n₂, effort their product; what has no operands is not difficult. */
  get result(): Halstead {
    const n1 = this.#operators.size
    const n2 = this.#operands.size
    const vocabulary = n1 + n2
    const volume = vocabulary === 0 ? 0 : (this.#allOperators + this.#allOperands) * Math.log2(vocabulary)
    const difficulty = n2 === 0 ? 0 : (n1 / 2) * (this.#allOperands / n2)
    return {
      distinct_operators: n1,
      distinct_operands: n2,
      operators: this.#allOperators,
      operands: this.#allOperands,
      volume: round(volume),
      difficulty: round(difficulty),
      effort: round(volume * difficulty),
    }
  }
}

/** The maintainability index as Visual Studio scales it, from 0 (worst) to 100. */
export function maintainability(volume: number, cyclomatic: number, lines: number): number {
  const index = 171 - 5.2 * Math.log(Math.max(1, volume)) - 0.23 * cyclomatic - 16.2 * Math.log(Math.max(1, lines))
  return round(Math.max(0, (index * 100) / 171))
}
