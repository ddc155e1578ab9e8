import { ServerResponse } from 'node:http'

/** A response of Node whose head, as text, can be reached. There is no public name for it. */
interface WithHead {
  _header?: unknown
}

/**
 * Ends a response, right after `writeHead`, with this body. `response.end(body)` gives the socket two pieces, the
 * second one empty, and the socket gathers them with `writev`. A head that ends in the body leaves as one piece. Each
 * character of the body must be one byte.
 */
export function endInOneWrite(response: ServerResponse, body: string): void {
  const { _header: head } = response as WithHead
  if (typeof head !== 'string' || !head.endsWith('\r\n\r\n') || !isPlain(response)) {
    return void response.end(body, 'latin1')
  }
  ;(response as WithHead)._header = head + body
  response.end()
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
