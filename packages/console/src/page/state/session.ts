import { effect, signal, untracked } from '@preact/signals'
import { HttpError } from '@causeway/engine/browser'
import type { Implementation, Params } from '@causeway/engine/browser'
import { listChanged, loadAll, resourceUpdated } from './catalog.ts'
import { changed, client, forgetClients, reasonOf, token } from './connection.ts'
import { followFeed } from './feed.ts'

/** What the server says of itself. */
export interface ServerInfo {
  readonly server: Implementation | undefined
  readonly revision: string
  readonly instructions: string | undefined
  readonly capabilities: Params
}

/** How the page and the server stand. */
export type Status = 'connecting' | 'ready' | 'needs-token' | 'refused' | 'lost'

/** How things stand. */
export const status = signal<Status>('connecting')
/** Why, where they stand badly. */
export const problem = signal('')
/** Whom the page talks to, once it does. */
export const info = signal<ServerInfo | undefined>(undefined)

/** May the page show what all clients do? */
export const isOperator = signal(true)

const RETRY_MS = 2000

effect(() => {
  const change = changed.value
  if (change === undefined) return
  // What these read must not be followed as well.
  untracked(() => ('list' in change ? void listChanged(change.list) : resourceUpdated(change.uri)))
})

/** Connect, list everything, and follow what happens; again whenever the server was away. */
export async function startSession(): Promise<void> {
  try {
    const remote = await client()
    info.value = {
      server: remote.server,
      revision: remote.version,
      instructions: remote.instructions,
      capabilities: remote.capabilities,
    }
    document.title = `${remote.server?.title ?? remote.server?.name ?? 'Causeway'} console`
    status.value = 'ready'
    problem.value = ''
    await loadAll()
    await followFeed()
    throw new Error('The server closed the stream of events')
  } catch (error) {
    failed(error)
  }
}

function failed(error: unknown): void {
  // The token is good for everything but what other clients do.
  if (status.value === 'ready' && error instanceof HttpError && error.status === 403) {
    isOperator.value = false
    return
  }
  forgetClients()
  problem.value = reasonOf(error)
  if (error instanceof HttpError && error.status === 401) {
    status.value = token.value === '' ? 'needs-token' : 'refused'
    token.value = ''
    return
  }
  status.value = 'lost'
  setTimeout(() => void startSession(), RETRY_MS)
}

/** Try a token. */
export function signIn(given: string): void {
  token.value = given.trim()
  isOperator.value = true
  status.value = 'connecting'
  void startSession()
}
