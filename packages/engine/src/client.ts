export type { AuthorizedRequest, Authorizer, Refusal } from './client/auth/authorizer.ts'
export type { AuthChallenge } from './client/auth/challenge.ts'
export { keyText, memoryCredentials } from './client/auth/credential-store.ts'
export type {
  ClientKey,
  CredentialKey,
  CredentialStore,
  StoredClient,
  StoredTokens,
  StoredValue,
  TokensKey,
} from './client/auth/credential-store.ts'
export { dpopProver } from './client/auth/dpop.ts'
export type { DpopProver } from './client/auth/dpop.ts'
export { oauthAuthorizer } from './client/auth/oauth-authorizer.ts'
export type { LoginStatus, OAuthAuthorizer } from './client/auth/oauth-authorizer.ts'
export { LoginRequired } from './client/auth/login.ts'
export type { PendingLogin } from './client/auth/login.ts'
export type {
  AssertionAudience,
  AuthorizationCodeGrant,
  ClientCredentialsGrant,
  ClientPrivateKey,
  EnterpriseGrant,
  JwtBearerGrant,
  OAuthGrant,
  OAuthOptions,
} from './client/auth/oauth-options.ts'
export { OAuthError } from './oauth/fetch-json.ts'
export type { FetchJsonLimits } from './oauth/fetch-json.ts'
export { childTransport, plainEnvironment } from './client/transports/child-transport.ts'
export type { Command } from './client/transports/child-transport.ts'
export { httpTransport } from './client/transports/http-transport.ts'
export type { HttpTransportOptions } from './client/transports/http-transport.ts'
export { memoryTransport } from './client/transports/memory-transport.ts'
export type {
  Broken,
  Introduction,
  KnownSession,
  OutgoingRequest,
  ParkedCall,
  Remote,
  RemoteLink,
  RemoteListener,
  ServerChange,
  SessionSharing,
  Target,
  Ticket,
  Wanted,
} from './client/remote.ts'
export { RemoteServer } from './client/remote-server.ts'
export type { RemoteOptions, RemoteRequest } from './client/remote-server.ts'
export { skillReader } from './client/skill-reader.ts'
export type { SkillReader, SkillReaderOptions } from './client/skill-reader.ts'
export type { ParseYaml } from './skills/front-matter.ts'
export { SKILLS } from './skills/skill.ts'
export type { Skill, SkillFile } from './skills/skill.ts'
export { SseTransport } from './client/transports/sse-transport.ts'
export { StdioTransport } from './client/transports/stdio-transport.ts'
export type { StdioTransportOptions } from './client/transports/stdio-transport.ts'
export { WebSocketTransport } from './client/transports/websocket-transport.ts'
export { ConnectionLost, HttpError, IGNORING, SessionLost } from './client/transports/transport.ts'
export type {
  Mirrors,
  RequestSink,
  ServerMessage,
  ClientTransport,
  TransportListener,
} from './client/transports/transport.ts'
export { ALL_CAPABILITIES, askableCapabilities, checkAsk } from './protocol/asks.ts'
export { connectRemote } from './protocol/remote/connect.ts'
export { ERROR_META } from './protocol/keys.ts'
export { paramHeaders } from './protocol/headers.ts'
export type { ParamHeader } from './protocol/headers.ts'
export { ParkedCalls, processIdOf, ticketIn } from './protocol/remote/parked-calls.ts'
export { callGone } from './protocol/remote/stateful.ts'
