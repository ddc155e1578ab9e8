/** Reads a regular expression from left to right, a character at a time. */
export class Reader {
  readonly #source: string
  #at = 0

  constructor(source: string) {
    this.#source = source
  }

  get at(): number {
    return this.#at
  }

  get isDone(): boolean {
    return this.#at >= this.#source.length
  }

  /** The next character, which stays. */
  peek(): string {
    return String.fromCodePoint(this.#source.codePointAt(this.#at) ?? 0)
  }

  /** The next character. */
  next(): string {
    const letter = this.peek()
    this.#at += letter.length
    return letter
  }

  /** Pass over a character if it is the next one. */
  skip(letter: string): boolean {
    if (!this.#source.startsWith(letter, this.#at)) return false
    this.#at += letter.length
    return true
  }

  /** Pass over what matches right here; the expression must be sticky. */
  take(expression: RegExp): RegExpExecArray | undefined {
    expression.lastIndex = this.#at
    const found = expression.exec(this.#source)
    if (found) this.#at += found[0].length
    return found ?? undefined
  }

  /** An error at some position; default: where we are. */
  wrong(what: string, at: number = this.#at): Error {
    return new Error(`Invalid regular expression: ${what} (at character ${at + 1})`)
  }

  /** Throw it. */
  fail(what: string, at?: number): never {
    throw this.wrong(what, at)
  }
}
