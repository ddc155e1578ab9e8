export { bearerTokens, newToken } from './auth/bearer.ts'
export type { FollowedTokens, TokenFile } from './auth/bearer.ts'
export type {
  AuthenticationRequest,
  Authenticator,
  ChallengeReason,
  DpopMode,
  RefusedToken,
  TlsPeer,
  WantedScopes,
} from './auth/authenticator.ts'
export type { SharedOnce } from './auth/dpop-nonces.ts'
export type { IntrospectionOptions, IssuerOptions } from './auth/issuer.ts'
export { resourceServer } from './auth/resource-server.ts'
export type { FollowedIssuers, ReplacedIssuers, ResourceServerOptions } from './auth/resource-server.ts'
export { followedScopeRules, scopeRules } from './auth/scope-rules.ts'
export type {
  FollowedScopeRules,
  ScopePatterns,
  ScopeRules,
  ScopeRulesOptions,
  ScopedKind,
} from './auth/scope-rules.ts'
export { OPERATOR_SCOPE } from './auth/scopes.ts'
export { isScope } from './auth/authenticator.ts'
export type { Principal } from './auth/principal.ts'
export { httpHandler } from './transports/http/handler.ts'
export type { HttpHandler } from './transports/http/handler.ts'
export type { HttpHandlerOptions, HttpOpen, RefusedRequest } from './transports/http/handler-options.ts'
export type { Events, Exchange } from './transports/http/exchange.ts'
export { Refusal } from './transports/http/exchange.ts'
export type { Route, UpgradeRequest } from './transports/http/routes.ts'
export type { Views } from './transports/http/view-route.ts'
export { serveHttp } from './transports/http/server.ts'
export type { HttpOptions, HttpService } from './transports/http/server.ts'
export type { TlsOptions } from './transports/listeners/tls.ts'
export { clientCertificates } from './auth/peers/client-certificates.ts'
export { socketOwner } from './auth/peers/socket-owner.ts'
export { httpWorker } from './transports/processes/worker.ts'
export type { HttpWorker, HttpWorkerOptions, RetireLimits } from './transports/processes/worker.ts'
export type { SocketOf } from './transports/processes/worker-forwarding.ts'
