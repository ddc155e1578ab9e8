import { ServerResponse } from 'node:http'

/** What cannot be reached of a response by a public name. */
interface Inner {
  /** The head as text, once it is made. */
  _header?: unknown
  /** What Node would say of the connection in the head. */
  readonly _keepAliveTimeout?: number
  readonly _maxRequestsPerSocket?: number | null
}

const SECOND_MS = 1000
const START = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: '

let second = 0
let date = ''

/** The header that says what time it is, made once per second. */
function dateOf(now: number): string {
  const current = Math.floor(now / SECOND_MS)
  if (current !== second) {
    second = current
    date = `\r\nDate: ${new Date(now).toUTCString()}\r\nConnection: keep-alive`
  }
  return date
}

const keepAlive = (ms: number): string => (ms > 0 ? `\r\nKeep-Alive: timeout=${Math.floor(ms / SECOND_MS)}` : '')

/**
 * Answers 200 with JSON, with a head of our own that leaves in one piece with the body. Node makes a new head each time, and
 * `end(body)` gives the socket two pieces, which it gathers with `writev`. Each character of the body must be one byte.
 * False, and nothing written, if the answer has other headers, ends its connection, or something stands in between.
 * `idleMs` is how long the connection stays open, if Node does not limit that.
 */
export function answerInOneWrite(response: ServerResponse, body: string, idleMs: number): boolean {
  if (!isUsual(response) || !isPlain(response)) return false
  const inner = response as Inner
  const stays = keepAlive(inner._keepAliveTimeout || idleMs)
  inner._header = `${START}${body.length}${dateOf(Date.now())}${stays}\r\n\r\n${body}`
  response.end()
  return true
}

/** Has it no headers but the usual ones? */
function isUsual(response: ServerResponse): boolean {
  const { _header: head, _maxRequestsPerSocket: most } = response as Inner
  return (
    head === null &&
    !most &&
    response.shouldKeepAlive &&
    response.sendDate &&
    response.statusMessage === undefined &&
    response.getHeaderNames().length === 0
  )
}

/** Nothing stands between this response and its socket: no middleware that compresses, no other framing, and a body is due. */
function isPlain(response: ServerResponse): boolean {
  const { end, write, writeHead } = ServerResponse.prototype
  return (
    response.end === end &&
    response.write === write &&
    response.writeHead === writeHead &&
    !response.chunkedEncoding &&
    // It would count a body that it does not see.
    !response.strictContentLength &&
    response.req.method !== 'HEAD'
  )
}
