import { basename } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { MessageConnection } from 'vscode-jsonrpc/node'
import { startServer } from './child.ts'
import type { ServerProcess } from './child.ts'
import { BoundedReader } from './frames.ts'
import type { Ready } from './locate.ts'
import { CAPABILITIES } from './capabilities.ts'
import { Heard } from './heard.ts'

/** What a session is opened with. */
export interface Opening {
  readonly ready: Ready
  readonly root: string
  readonly startMs: number
  readonly memoryBytes: number
}

/** A language server did not do what it was asked. */
export class ServerFailure extends Error {
  override readonly name = 'ServerFailure'
  /** It answered, and what it said is about what was asked. */
  readonly answered: boolean

  constructor(message: string, answered = false) {
    super(message)
    this.answered = answered
  }
}

const STOP_MS = 500
const MOST_ITEMS = 100

type Token = Parameters<MessageConnection['sendRequest']>[2]

/** A language server that runs, for one root. */
export class Session {
  readonly root: string
  readonly heard: Heard = new Heard()
  readonly #ready: Ready
  readonly #child: ServerProcess
  readonly #reader: BoundedReader
  readonly #connection: MessageConnection
  #capabilities: Readonly<Record<string, unknown>> = {}
  #title: string
  #end: string | undefined

  private constructor(opening: Opening, parts: [ServerProcess, BoundedReader, MessageConnection]) {
    this.root = opening.root
    this.#ready = opening.ready
    this.#title = titleOf(opening.ready.plan)
    ;[this.#child, this.#reader, this.#connection] = parts
    this.#connection.onRequest((method, params) => this.#answer(method, params))
    this.#connection.onNotification((method, params: unknown) => this.heard.take(method, params))
    this.#connection.onError(([error]) => void this.end(error.message))
    void this.#child.over.then(why => {
      this.#end ??= why
      this.#connection.dispose()
      this.heard.close()
    })
    this.#connection.listen()
  }

  /** Start a server and make its acquaintance. */
  static async open(opening: Opening): Promise<Session> {
    const { createMessageConnection, StreamMessageWriter } = await import('vscode-jsonrpc/node')
    const { words, env } = opening.ready
    const child = startServer({ words, env, cwd: '/', memoryBytes: opening.memoryBytes })
    const reader = new BoundedReader(child.output)
    const connection = createMessageConnection(reader, new StreamMessageWriter(child.input), SILENT)
    const session = new Session(opening, [child, reader, connection])
    try {
      await session.#initialize(opening.startMs)
      return session
    } catch (error) {
      await session.end('it could not be used')
      throw error
    }
  }

  /** As answers name it. */
  get title(): string {
    return `language server (${this.#title})`
  }

  /** Why it is over; undefined while it runs. */
  get ended(): string | undefined {
    return this.#end
  }

  /** Does it have a command of that name? */
  command(name: string): boolean {
    const { commands } = { ...(this.#capabilities.executeCommandProvider as { commands?: unknown } | undefined) }
    return Array.isArray(commands) && commands.includes(name)
  }

  /** Ask it something; one that does not answer in time is ended, since nobody knows what it is doing. */
  async ask(method: string, params: unknown, { signal, ms }: { signal: AbortSignal; ms: number }): Promise<unknown> {
    if (this.#end !== undefined) throw new ServerFailure(`${this.#title} has ended: ${this.#end}`)
    signal.throwIfAborted()
    this.#reader.renew()
    const { CancellationTokenSource } = await import('vscode-jsonrpc/node')
    const source = new CancellationTokenSource()
    const late = refusal()
    const clock = setTimeout(() => {
      const why = `it did not answer ${method} within ${ms / 1000} s`
      void this.end(why)
      late.reject(new ServerFailure(`${this.#title} was ended: ${why}`))
    }, ms)
    const abort = (): void => {
      source.cancel()
      late.reject(signal.reason instanceof Error ? signal.reason : new Error('Cancelled'))
    }
    signal.addEventListener('abort', abort, { once: true })
    try {
      return await Promise.race([this.#request(method, params, source.token), late.promise])
    } finally {
      clearTimeout(clock)
      signal.removeEventListener('abort', abort)
      source.dispose()
    }
  }

  tell(method: string, params: unknown): void {
    if (this.#end === undefined) this.#connection.sendNotification(method, params as object).catch(() => {})
  }

  /** End it: politely if it listens, and then with all that it started. */
  async end(why: string): Promise<void> {
    if (this.#end !== undefined) return
    this.#end = why
    await this.#child.end(why)
  }

  /** The end of one that is not needed any more. */
  async close(): Promise<void> {
    if (this.#end !== undefined) return
    const signal = AbortSignal.timeout(STOP_MS)
    await this.ask('shutdown', undefined, { signal, ms: STOP_MS * 2 }).catch(() => {})
    this.tell('exit', undefined)
    await this.end('it was not needed any more')
  }

  async #request(method: string, params: unknown, token: Token): Promise<unknown> {
    try {
      return await this.#connection.sendRequest(method, params as object, token)
    } catch (error) {
      if (this.#end !== undefined) throw new ServerFailure(`${this.#title} has ended: ${this.#end}`)
      const words = error instanceof Error ? error.message : String(error)
      throw new ServerFailure(words.slice(0, 500), true)
    }
  }

  async #initialize(ms: number): Promise<void> {
    const { plan, sandboxed } = this.#ready
    const uri = pathToFileURL(this.root).href
    const folder = { uri, name: basename(this.root) }
    const params = {
      // It cannot see us from the sandbox, and would take us for dead.
      processId: sandboxed ? null : process.pid,
      clientInfo: { name: 'causeway' },
      rootUri: uri,
      rootPath: this.root,
      workspaceFolders: [folder],
      capabilities: CAPABILITIES,
      initializationOptions: plan.options ?? {},
    }
    const answer = await this.ask('initialize', params, { signal: new AbortController().signal, ms })
    const { capabilities, serverInfo } = answer as { capabilities?: object; serverInfo?: { version?: unknown } }
    this.#capabilities = { ...capabilities }
    const { version = serverInfo?.version } = plan
    this.#title = titleOf({ ...plan, version: typeof version === 'string' ? version : undefined })
    this.tell('initialized', {})
    this.tell('workspace/didChangeConfiguration', { settings: plan.settings ?? {} })
  }

  /** What it may ask us: nothing that changes anything. */
  #answer(method: string, params: unknown): unknown {
    if (method === 'workspace/configuration') return this.#settings(params)
    if (method === 'workspace/workspaceFolders')
      return [{ uri: pathToFileURL(this.root).href, name: basename(this.root) }]
    if (method === 'workspace/applyEdit') return { applied: false, failureReason: 'Servers may not edit' }
    if (method === 'window/showDocument') return { success: false }
    return null
  }

  #settings(params: unknown): unknown[] {
    const { items } = (params ?? {}) as { items?: unknown }
    if (!Array.isArray(items)) return []
    return items.slice(0, MOST_ITEMS).map((item: { section?: unknown } | null) => this.#setting(item?.section))
  }

  #setting(section: unknown): unknown {
    const [first = '', ...rest] = typeof section === 'string' ? section.split('.') : []
    let value: unknown = this.#ready.plan.settings?.[first]
    for (const part of rest) value = (value as Record<string, unknown> | undefined)?.[part]
    return value ?? null
  }
}

const SILENT = { error: () => {}, warn: () => {}, info: () => {}, log: () => {} }

function titleOf({ title, version }: { readonly title: string; readonly version?: string | undefined }): string {
  const short = /\d[\w.+-]{0,40}/.exec(plainVersion(version ?? ''))?.[0]
  return short === undefined ? title : `${title} ${short}`
}

/** What gopls says is JSON. */
function plainVersion(version: string): string {
  if (!version.startsWith('{')) return version
  try {
    const { Version } = JSON.parse(version) as { Version?: unknown }
    return typeof Version === 'string' ? Version : ''
  } catch {
    return ''
  }
}

/** A promise that can only be broken. */
function refusal(): { promise: Promise<never>; reject: (error: Error) => void } {
  let reject: (error: Error) => void = () => {}
  const promise = new Promise<never>((_, no) => {
    reject = no
  })
  return { promise, reject }
}
