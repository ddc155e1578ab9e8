// An OAuth 2.1 resource server: tokens of an authorization server, and the scopes that tools need.
import { createServer, tool } from '@causeway/engine'
import { httpHandler, resourceServer, scopeRules } from '@causeway/engine/http'
import type { HttpHandler } from '@causeway/engine/http'
import { requireScopes } from '@causeway/engine/policies'

/** Mount it in an HTTP server; clients find the authorization server by /.well-known/oauth-protected-resource/mcp. */
export function protectedBy(issuer: string, publicUrl: string): HttpHandler {
  const server = createServer({ name: 'protected', version: '1.0.0', log: false }).add(
    tool({ name: 'whoami', readOnly: true }, (_, ctx) => ({ name: ctx.principal?.name })),
    tool({ name: 'write_note' }, () => 'written'),
  )
  const rules = scopeRules({ tools: { 'write_*': ['write'] } })
  server.use(requireScopes(rules, server))
  const authenticator = resourceServer({ issuers: [{ issuer }], scopes: rules })
  return httpHandler(server, { publicUrl, authenticator, scopes: rules })
}
