import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'

const MOST_BYTES = 1024 * 1024
const LAST_LINES = 50
const LONGEST = 2000

/** The file that a server's standard error goes to, in the folder of a gateway. */
export const stderrFile = (folder: string, server: string): string =>
  join(folder, 'logs', `${server.replaceAll(/[^\w-]+/g, '_')}.log`)

/** What a server says beside the protocol: the last lines in memory, the rest in a file that is started again when it is full. */
export class StderrLog {
  readonly #file: string | undefined
  readonly #lines: string[] = []
  #sinceStart = 0
  #partial = ''
  #size: number | undefined
  #ignored = 0
  #ignoredAt = 0

  /** Without a file only the last lines are kept. */
  constructor(file: string | undefined) {
    this.#file = file
  }

  /** The last lines, oldest first. */
  get lines(): readonly string[] {
    return this.#lines
  }

  /** The lines since it was last started, of those that are kept. */
  get sinceStart(): readonly string[] {
    return this.#lines.slice(Math.max(0, this.#lines.length - this.#sinceStart))
  }

  /** It is started now. */
  started(): void {
    this.#sinceStart = 0
    this.#partial = ''
  }

  /** Something on its output is no message. One line a second: there is no end to what some servers write. */
  ignored(what: string): void {
    this.#ignored += 1
    const now = Date.now()
    if (now - this.#ignoredAt < 1000) return
    this.line(`[causeway] ignored on its output (${this.#ignored} so far): ${what.slice(0, 200)}`)
    this.#ignoredAt = now
  }

  write(chunk: Buffer): void {
    const lines = (this.#partial + chunk.toString('utf8')).split('\n')
    this.#partial = (lines.pop() ?? '').slice(-LONGEST)
    for (const line of lines) this.line(line)
  }

  line(text: string): void {
    const line = text.slice(0, LONGEST)
    this.#lines.push(line)
    this.#sinceStart += 1
    if (this.#lines.length > LAST_LINES) this.#lines.shift()
    if (this.#file !== undefined) this.#keep(`${new Date().toISOString()} ${line}\n`)
  }

  /** A log that cannot be written is no reason to stop. */
  #keep(text: string): void {
    const file = this.#file ?? ''
    try {
      if (this.#size === undefined) {
        mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
        this.#size = statSync(file, { throwIfNoEntry: false })?.size ?? 0
      }
      if (this.#size > MOST_BYTES) {
        renameSync(file, `${file}.1`)
        this.#size = 0
      }
      appendFileSync(file, text, { mode: 0o600 })
      this.#size += text.length
    } catch {
      this.#size = 0
    }
  }
}
