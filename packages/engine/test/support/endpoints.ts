import { isFetch } from './fetch-service.ts'
import { ask } from './http-client.ts'
import type { Stateful } from './http-client.ts'
import { JSON_HEADERS } from './http-exchange.ts'
import type { RawSent } from './raw-http.ts'
import { UPGRADE } from './ws-client.ts'

/** A request to one endpoint, and the status it has when nothing is wrong with who asks and from where. */
export type EndpointSent = RawSent & { readonly served: number }

/** Every way in that serves messages, with a request of that session where one is needed. */
export function everyEndpoint(session: Stateful): Record<string, EndpointSent> {
  const body = JSON.stringify(ask(1, 'ping'))
  const own = session.headers()
  return {
    'POST /mcp': { headers: own, body, served: 200 },
    'GET /mcp': { method: 'GET', headers: { ...own, accept: 'text/event-stream' }, served: 200 },
    'GET /sse': { method: 'GET', path: '/sse', headers: { accept: 'text/event-stream' }, served: 200 },
    'POST /sse': { path: '/sse', headers: JSON_HEADERS, body, served: 200 },
    'POST /messages': { path: '/messages?sessionId=x', headers: JSON_HEADERS, body, served: 404 },
    'POST /rpc': { path: '/rpc', headers: JSON_HEADERS, body, served: 200 },
    'upgrade of /ws': { method: 'GET', path: '/ws', headers: UPGRADE, served: isFetch ? 404 : 101 },
    'GET /nothing': { method: 'GET', path: '/nothing', served: 404 },
    'DELETE /mcp': { method: 'DELETE', headers: { 'mcp-session-id': 'nobody' }, served: 404 },
  }
}
