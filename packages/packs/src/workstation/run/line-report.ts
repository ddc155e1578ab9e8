import type { Context } from '@causeway/engine'
import { clip } from '../../support/processes/spool.ts'
import { plain } from '../build/reports/excerpt.ts'

const MESSAGE_BYTES = 8 * 1024
// What comes faster is told together: of each part only the end, so that a flood of output costs the server little.
const PACE_MS = 100
// A character of JSON takes at least one byte.
const KEPT = MESSAGE_BYTES

/** Tells a client the lines of a program as they come, at a pace. */
export class LineReport {
  readonly #ctx: Pick<Context, 'progress' | 'asData'>
  #lines = 0
  #text = ''
  #soon: NodeJS.Timeout | undefined

  constructor(ctx: Pick<Context, 'progress' | 'asData'>) {
    this.#ctx = ctx
  }

  /** The first lines are told at once. */
  take(lines: readonly string[]): void {
    this.#lines += lines.length
    const more = lines.join('\n').slice(-KEPT)
    this.#text = (this.#text === '' ? more : `${this.#text}\n${more}`).slice(-KEPT)
    if (this.#soon === undefined) this.#tell()
  }

  /** Nothing more comes. */
  end(): void {
    if (this.#text !== '') this.#tell()
    clearTimeout(this.#soon)
  }

  #tell(): void {
    clearTimeout(this.#soon)
    this.#soon = setTimeout(() => {
      this.#soon = undefined
      if (this.#text !== '') this.#tell()
    }, PACE_MS).unref()
    const text = this.#text
    this.#text = ''
    this.#ctx.progress(this.#lines, this.#ctx.asData(clip(plain(text), MESSAGE_BYTES)))
  }
}
