import { isUtf8 } from 'node:buffer'
import { fault } from '@causeway/engine'
import type { Call, Result } from '@causeway/engine'
import { mediaTypeOf, mismatch } from '@causeway/engine/internal'
import type { Jail } from '../support/files/jail.ts'
import { Scanner } from './scan.ts'
import type { Scanned } from './scan.ts'

const NOTHING: Scanned = { skills: [], files: new Map(), folders: [], problems: [] }

/** One folder of skills: what is in it now, and the bytes of its files. */
export class SkillFolder {
  readonly #scanner: Scanner
  readonly #lookAgain: () => Promise<void>
  #now: Scanned = NOTHING
  #refreshing: Promise<void> | undefined
  /** Did something change while the folder was looked at? */
  #isStale = false

  /** `lookAgain` refreshes all folders, so that lists show what is read. */
  constructor(jail: Jail, above: readonly string[], lookAgain: () => Promise<void>) {
    this.#lookAgain = lookAgain
    this.#scanner = new Scanner(jail, above)
  }

  get now(): Scanned {
    return this.#now
  }

  /** Look at the folder again; asked again meanwhile, once more. */
  refresh(): Promise<void> {
    this.#isStale = this.#refreshing !== undefined
    this.#refreshing ??= this.#scan().finally(() => (this.#refreshing = undefined))
    return this.#refreshing
  }

  async #scan(): Promise<void> {
    do {
      this.#isStale = false
      this.#now = await this.#scanner.scan()
    } while (this.#isStale)
  }

  /** The contents of a file: the very bytes that its digest is of, or none. */
  async read(call: Call, uri: string): Promise<Result> {
    const bytes = (await this.#fitting(uri)) ?? (await this.#lookAgain().then(() => this.#fitting(uri)))
    if (!bytes) throw changed(uri)
    call.cancellation.isVerbatim = true
    const mimeType = mediaTypeOf(uri)
    const contents = isUtf8(bytes) ? { text: bytes.toString() } : { blob: bytes.toString('base64') }
    return { contents: [{ uri, ...(mimeType !== undefined && { mimeType }), ...contents }] }
  }

  async #fitting(uri: string): Promise<Buffer | undefined> {
    const file = this.#now.files.get(uri)
    if (!file) return undefined
    try {
      const bytes = await this.#scanner.read(file.path)
      return mismatch(file, bytes) === undefined ? bytes : undefined
    } catch {
      // It is gone, or leads elsewhere by now.
      return undefined
    }
  }
}

const changed = (uri: string): Error =>
  fault('resource-not-found', `${uri.slice(0, 200)} changed or went away while it was read`, { uri: uri.slice(0, 200) })
