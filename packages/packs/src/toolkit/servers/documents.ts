import { pathToFileURL } from 'node:url'
import { readAll, reading } from '../../support/files/file.ts'
import type { Jail } from '../../support/files/jail.ts'
import { toText } from '../../support/files/to-text.ts'
import { languageOf } from '../analysis/parse/grammar.ts'
import type { Language } from '../analysis/parse/grammar.ts'
import { languageIdOf } from './kinds.ts'
import type { Session } from './session.ts'
import { TextPositions } from './text-positions.ts'

/** A file as the server was shown it. */
export interface Document {
  readonly path: string
  readonly uri: string
  readonly version: number
  readonly positions: TextPositions
}

/** Whose files, and in which languages. */
interface Shelf {
  readonly jail: Jail
  readonly session: Session
  readonly languages: readonly Language[]
}

const MOST_BYTES = 4 * 1024 * 1024
const MOST_OPEN = 300

/** The files that a server has open: their texts are those that we read, whatever it finds itself. */
export class Documents {
  readonly #jail: Jail
  readonly #session: Session
  readonly #languages: readonly Language[]
  readonly #open = new Map<string, Document>()

  constructor({ jail, session, languages }: Shelf) {
    this.#jail = jail
    this.#session = session
    this.#languages = languages
  }

  has(path: string): boolean {
    return this.#open.has(path)
  }

  get paths(): readonly string[] {
    return [...this.#open.keys()]
  }

  /** Show files as they are now; those that cannot be read, or are no text, are left out. */
  async show(paths: Iterable<string>): Promise<Document[]> {
    const shown: Document[] = []
    for (const path of paths) {
      const document = await this.#showOne(path)
      if (document) shown.push(document)
    }
    for (const path of this.paths) {
      if (this.#open.size <= MOST_OPEN) break
      if (!shown.some(one => one.path === path)) this.close(path)
    }
    return shown
  }

  close(path: string): void {
    const known = this.#open.get(path)
    if (!known) return
    this.#open.delete(path)
    this.#session.heard.forget(known.uri)
    this.#session.tell('textDocument/didClose', { textDocument: { uri: known.uri } })
  }

  async #showOne(path: string): Promise<Document | undefined> {
    const language = languageOf(path)
    const isIts = language !== undefined && this.#languages.includes(language)
    const text = isIts ? await this.#read(path) : undefined
    if (!isIts || text === undefined) {
      this.close(path)
      return undefined
    }
    const known = this.#open.get(path)
    if (known?.positions.text === text) return known
    const { href: uri } = pathToFileURL(path)
    const next = { path, uri, version: (known?.version ?? 0) + 1, positions: new TextPositions(text) }
    const { version } = next
    this.#session.heard.renew(uri)
    this.#session.heard.open(uri)
    if (known) {
      this.#session.tell('textDocument/didChange', { textDocument: { uri, version }, contentChanges: [{ text }] })
    } else {
      const languageId = languageIdOf(path, language)
      this.#session.tell('textDocument/didOpen', { textDocument: { uri, languageId, version, text } })
    }
    this.#open.delete(path)
    this.#open.set(path, next)
    return next
  }

  async #read(path: string): Promise<string | undefined> {
    try {
      const bytes = await this.#jail.at({ path, link: true }, place =>
        reading(place, file => readAll(file, MOST_BYTES)),
      )
      return bytes && toText(bytes)?.replace(/^\uFEFF/, '')
    } catch {
      return undefined
    }
  }
}
