import { signal } from '@preact/signals'
import { ALL_CAPABILITIES, APPS_CAPABILITY, RemoteServer, fetchTransport } from '@causeway/engine/browser'
import type { ClientTransport, ObservedMessage, ServerChange } from '@causeway/engine/browser'
import { answerAsk } from './asks.ts'

/** Held in memory and nowhere else: it is gone when the page is left. */
export const token = signal('')
/** What the server said last that has changed. */
export const changed = signal<ServerChange | undefined>(undefined)

const observers = new Set<(message: ObservedMessage) => void>()
const clients = new Map<string, Promise<RemoteServer>>()

/** The server's endpoint, wherever the page came from. */
export const endpoint = (path: string): string => new URL(path, document.baseURI.replace(/#.*$/, '')).href

/** What every request carries. */
export const authorization = (): Readonly<Record<string, string>> =>
  token.value === '' ? {} : { authorization: `Bearer ${token.value}` }

/** See every message until the returned function is called. */
export function observe(listener: (message: ObservedMessage) => void): () => void {
  observers.add(listener)
  return () => observers.delete(listener)
}

/** A client that speaks this revision, or the newest if none is named; one of each is kept. */
export function client(version = ''): Promise<RemoteServer> {
  const known = clients.get(version)
  if (known) return known
  const opening = open(version)
  clients.set(version, opening)
  opening.catch(() => clients.delete(version))
  return opening
}

function open(version: string): Promise<RemoteServer> {
  const transport = (): ClientTransport =>
    fetchTransport({
      url: endpoint('mcp'),
      headers: authorization,
      // Who picks a revision wants calls of it; changes are reported to the other client.
      listen: version === '',
      observe: message => {
        for (const listener of observers) listener(message)
      },
    })
  return RemoteServer.connect(
    { open: transport },
    {
      client: { name: 'causeway-console', version: '0.1.0', title: 'Causeway console' },
      answer: answerAsk,
      // The page is a host of views.
      capabilities: { ...ALL_CAPABILITIES, extensions: APPS_CAPABILITY },
      timeoutMs: 0,
      ...(version !== '' && { version }),
      ...(version === '' && { onChange: (change: ServerChange) => void (changed.value = change) }),
      onClose: () => clients.delete(version),
    },
  )
}

/** Why something failed, in words: the browser only says "Failed to fetch" if there is no server. */
export function reasonOf(error: unknown): string {
  if (error instanceof TypeError && /fetch|network/i.test(error.message))
    return 'The server cannot be reached. It may have been stopped; the page connects again when it is back.'
  return error instanceof Error ? error.message : String(error)
}

/** Connect again with the next request. */
export function forgetClients(): void {
  clients.clear()
}
