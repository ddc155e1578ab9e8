import { createServer } from 'node:http'
import type { Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { UsageError } from '../config/usage-error.ts'

/** The browser came back with the answer to a login. */
export interface CallbackAnswer {
  /** The whole address that it was sent to. */
  readonly url: string
  /** Tell the person in the browser how it ended. */
  reply(isDone: boolean): void
}

/** Waits on this machine for browsers that come back. */
export interface CallbackListener {
  readonly redirectUri: string
  /** Resolves with the answer that has this state; anything else that arrives is refused. */
  answer(state: string): Promise<CallbackAnswer>
  close(): Promise<void>
}

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  connection: 'close',
}
const MOST_CONNECTIONS = 32
const REQUEST_MS = 10_000
const CLOSE_MS = 1000

// No other program that logs in on this machine uses this path.
const RANDOM = new URL('http://127.0.0.1:0/causeway/callback')

/** Is it a redirect URI on a port that was chosen for one login? */
export const isRandomRedirect = (redirectUri: string): boolean => {
  const { hostname, pathname } = new URL(redirectUri)
  return hostname === RANDOM.hostname && pathname === RANDOM.pathname
}

/** Listen on a port of this machine: that of the redirect URI, or a random one. */
export async function listenForCallback(wanted: URL = RANDOM): Promise<CallbackListener> {
  const waiting = new Map<string, (answer: CallbackAnswer) => void>()
  const server = createServer((request, response) => {
    const address = request.url ?? '/'
    const url = URL.canParse(address, redirectUri.href) ? new URL(address, redirectUri) : undefined
    const found = url?.pathname === redirectUri.pathname ? waiting.get(url.searchParams.get('state') ?? '') : undefined
    if (request.method !== 'GET' || !url || !found) return page(response, 404, 'No login is waiting for this address.')
    waiting.clear()
    found({ url: url.href, reply: isDone => page(response, isDone ? 200 : 400, isDone ? DONE : FAILED) })
  })
  Object.assign(server, { maxConnections: MOST_CONNECTIONS, requestTimeout: REQUEST_MS, headersTimeout: REQUEST_MS })
  const redirectUri = new URL(wanted)
  redirectUri.port = String(await listening(server, wanted))
  return {
    redirectUri: redirectUri.href,
    answer: state => new Promise(resolve => void waiting.set(state, resolve)),
    close: () => closed(server),
  }
}

/** Waits until the browser has its answer, but not for long. */
async function closed(server: Server): Promise<void> {
  const ended = new Promise<void>(resolve => void server.close(() => resolve()))
  server.closeIdleConnections()
  const timer = setTimeout(() => server.closeAllConnections(), CLOSE_MS)
  await ended
  clearTimeout(timer)
}

const DONE = 'You are logged in. You can close this window.'
const FAILED = 'The login failed. The command line says why. You can close this window.'

function page(response: ServerResponse, status: number, words: string): void {
  response
    .writeHead(status, HEADERS)
    .end(`<!doctype html><html lang="en"><title>Causeway</title><h1>Causeway</h1><p>${words}</p></html>`)
}

/** The port that it listens on. */
function listening(server: Server, { hostname, port }: URL): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const where = `${hostname}:${port || 'any port'}`
      reject(new UsageError(`The login cannot wait for the browser on ${where}: ${error.code ?? error.message}.`, 2))
    })
    server.listen(Number(port), hostname.replace(/^\[|\]$/g, ''), () => resolve((server.address() as AddressInfo).port))
  })
}
