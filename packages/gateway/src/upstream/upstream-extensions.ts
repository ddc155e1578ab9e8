import { RpcError, SKILLS, TASKS_EXTENSION, fault } from '@causeway/engine'
import type {
  Awaitable,
  Call,
  ClientNotification,
  ExtensionNotification,
  Params,
  Result,
  SourceExtensions,
} from '@causeway/engine'
import { withoutMeta } from '../source/entries.ts'
import { forwardedCapabilities } from '../calls/forward-link.ts'
import type { Forwarding } from '../calls/forward-link.ts'
import type { Lists } from '../source/fetch-lists.ts'
import { NOBODY, clientIn } from './connection-key.ts'
import type { Pool } from './pool.ts'
import type { PooledRemote } from './pooled-remote.ts'

const METHOD_NOT_FOUND = -32601

type Tell = (notification: ExtensionNotification) => void

// Skills of all servers are one list, see skills/upstream-skills.ts; tasks are the gateway's own, wherever they run.
const OWN: ReadonlySet<string> = new Set([SKILLS, TASKS_EXTENSION])

/** What extensions need of the upstream they belong to. */
interface ExtensionOwner {
  readonly lists: Lists | undefined
  readonly pool: Pool
  /** Why an extension may not be used, if so. */
  heldBack(kind: 'extension', id: string): Error | undefined
  readonly forwarder: { forward(call: Call, forwarding: Forwarding): Awaitable<Result> }
}

/** The extensions of a server, passed on as they are: methods and notifications of clients that declare one of them, and back. */
export class UpstreamExtensions implements SourceExtensions {
  readonly #upstream: ExtensionOwner
  readonly #listeners = new Set<Tell>()

  constructor(upstream: ExtensionOwner) {
    this.#upstream = upstream
  }

  get settings(): Readonly<Record<string, Params>> {
    const all = Object.entries(this.#upstream.lists?.extensions ?? {})
    return Object.fromEntries(all.filter(([id]) => !OWN.has(id) && !this.#upstream.heldBack('extension', id)))
  }

  readonly run = async (call: Call): Promise<Result> => {
    try {
      return await this.#upstream.forwarder.forward(call, { params: withoutMeta(call.params), repeatable: false })
    } catch (error) {
      // Another server may know the method.
      if (error instanceof RpcError && error.code === METHOD_NOT_FOUND) throw fault('method-not-found', error.message)
      throw error
    }
  }

  readonly onNotification = async ({ method, params, caller, link }: ClientNotification): Promise<void> => {
    const { remote } = await this.#upstream.pool.acquire({ caller, link })
    remote.notify(method, params, { capabilities: forwardedCapabilities(caller) })
  }

  listen(tell: Tell): () => void {
    this.#listeners.add(tell)
    return () => void this.#listeners.delete(tell)
  }

  /** The server sent a notification that the protocol does not have. What it tells one client is not for others. */
  received(method: string, params: Params, { key }: PooledRemote): void {
    const extensions = Object.keys(this.settings)
    if (extensions.length === 0 || method.startsWith('notifications/tasks')) return
    const only = key === NOBODY ? {} : { session: clientIn(key) }
    for (const tell of this.#listeners) tell({ extensions, method, params, ...only })
  }
}
