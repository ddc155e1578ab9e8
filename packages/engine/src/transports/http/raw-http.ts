import { STATUS_CODES } from 'node:http'
import type { IncomingMessage, Server as Listener } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

/** The status of bytes that cannot be read as HTTP. */
export function statusOfUnreadable({ code }: NodeJS.ErrnoException): number {
  if (code === 'HPE_HEADER_OVERFLOW') return 431
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400
}

/** Answer on a socket that is no longer HTTP's, and close it: otherwise it stays open as long as the client keeps its end open. */
export function refuseSocket(socket: Duplex, status: number, headers: Readonly<Record<string, string>> = {}): void {
  const fields = Object.entries({ Connection: 'close', 'Content-Length': '0', ...headers })
  const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...fields.map(([name, value]) => `${name}: ${value}`)]
  socket.end(`${lines.join('\r\n')}\r\n\r\n`, () => socket.destroy())
}

/** Serve a request that offers to go on in another protocol, such as HTTP/2 (h2c), as if it had not. */
export function ignoreUpgrade(
  listener: Listener,
  { method, url, rawHeaders }: IncomingMessage,
  socket: Socket,
  head: Buffer,
): void {
  const left = new Set(['connection', 'upgrade', 'http2-settings'])
  const lines = rawHeaders.flatMap((name, i) =>
    i % 2 === 0 && !left.has(name.toLowerCase()) ? [`${name}: ${rawHeaders[i + 1]}`] : [],
  )
  const text = [`${method} ${url} HTTP/1.1`, ...lines, '', ''].join('\r\n')
  // The time limit of an idle connection, which was set when the answer before this one was complete.
  socket.setTimeout(0)
  socket.unshift(Buffer.concat([Buffer.from(text, 'latin1'), head]))
  listener.emit('connection', socket)
}
