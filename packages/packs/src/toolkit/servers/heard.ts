import type { RawDiagnostic } from './diagnostics.ts'

/** What a server published about a file. */
interface Published {
  readonly version: number | undefined
  readonly diagnostics: readonly RawDiagnostic[]
}

/** A file, at the version that was shown. */
export interface Version {
  readonly uri: string
  readonly version: number
}

/** What a server says unasked: the newest diagnostics of the files that are open. */
export class Heard {
  readonly #published = new Map<string, Published>()
  /** The files that are open, by their URIs without escapes: servers spell these as they like. */
  readonly #open = new Map<string, string>()
  readonly #listeners = new Set<() => void>()
  #closed = false

  open(uri: string): void {
    this.#open.set(plain(uri), uri)
  }

  forget(uri: string): void {
    this.#open.delete(plain(uri))
    this.#published.delete(uri)
  }

  /** What was said of an older text is said of it no more. */
  renew(uri: string): void {
    this.#published.delete(uri)
  }

  take(method: string, params: unknown): void {
    if (method !== 'textDocument/publishDiagnostics' || typeof params !== 'object' || params === null) return
    const { uri, version, diagnostics } = params as { uri?: unknown; version?: unknown; diagnostics?: unknown }
    const known = typeof uri === 'string' ? this.#open.get(plain(uri)) : undefined
    if (known === undefined || !Array.isArray(diagnostics)) return
    const at = typeof version === 'number' ? version : undefined
    this.#published.set(known, { version: at, diagnostics: diagnostics as RawDiagnostic[] })
    for (const listener of this.#listeners) listener()
  }

  of(uri: string): readonly RawDiagnostic[] | undefined {
    return this.#published.get(uri)?.diagnostics
  }

  close(): void {
    this.#closed = true
    for (const listener of this.#listeners) listener()
  }

  /** Wait until something was published about all of these, and nothing more came for a while; false if it never was. */
  settled(files: readonly Version[], { quietMs, ms, signal }: Waiting): Promise<boolean> {
    return new Promise(resolve => {
      let quiet: NodeJS.Timeout | undefined
      const done = (result: boolean): void => {
        clearTimeout(quiet)
        clearTimeout(late)
        this.#listeners.delete(look)
        signal.removeEventListener('abort', stop)
        resolve(result)
      }
      const stop = (): void => done(false)
      const look = (): void => {
        clearTimeout(quiet)
        if (this.#closed) done(false)
        else if (files.every(file => this.#isThere(file))) quiet = setTimeout(() => done(true), quietMs)
      }
      const late = setTimeout(stop, ms)
      signal.addEventListener('abort', stop, { once: true })
      this.#listeners.add(look)
      look()
    })
  }

  #isThere({ uri, version }: Version): boolean {
    const published = this.#published.get(uri)
    return published !== undefined && (published.version === undefined || published.version >= version)
  }
}

function plain(uri: string): string {
  try {
    return decodeURIComponent(uri)
  } catch {
    return uri
  }
}

/** How long to wait. */
export interface Waiting {
  readonly quietMs: number
  readonly ms: number
  readonly signal: AbortSignal
}
