import type { IncomingMessage, Server as Listener } from 'node:http'
import type { Duplex } from 'node:stream'

/** What cannot even be read as HTTP is answered in a line, and let go. */
export function hangUp(error: NodeJS.ErrnoException, socket: Duplex): void {
  const statuses: Record<string, string> = {
    HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
    ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
  }
  const status = statuses[error.code ?? ''] ?? '400 Bad Request'
  endWith(socket, `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
}

/** Say a last word; nobody else would close the socket of a client that keeps its own end open. */
export function endWith(socket: Duplex, text: string): void {
  socket.end(text, () => socket.destroy())
}

/** Some clients offer to go on in HTTP/2 (h2c) with whatever they ask: they are served as if they had not. */
export function stay(
  listener: Listener,
  { method, url, rawHeaders }: IncomingMessage,
  socket: Duplex,
  head: Buffer,
): void {
  const left = new Set(['connection', 'upgrade', 'http2-settings'])
  const lines = rawHeaders.flatMap((name, i) =>
    i % 2 === 0 && !left.has(name.toLowerCase()) ? [`${name}: ${rawHeaders[i + 1]}`] : [],
  )
  const text = [`${method} ${url} HTTP/1.1`, ...lines, '', ''].join('\r\n')
  socket.unshift(Buffer.concat([Buffer.from(text, 'latin1'), head]))
  listener.emit('connection', socket)
}
