export { childTransport, plainEnvironment } from './client/transports/child-transport.ts'
export type { Command } from './client/transports/child-transport.ts'
export { Connection } from './client/connection.ts'
export type { ConnectionOptions } from './client/connection.ts'
export type { ConnectionListener, ServerChange } from './client/connection-listener.ts'
export type { InFlightRequest, RequestHandlers, OutgoingRequest, Reply } from './client/in-flight-request.ts'
export type { HttpOptions } from './client/transports/http-agent.ts'
export { HttpTransport } from './client/transports/http-transport.ts'
export { memoryTransport } from './client/transports/memory-transport.ts'
export type { Introduction, Target } from './client/negotiate.ts'
export { RemoteServer } from './client/remote-server.ts'
export type { RemoteOptions, RemoteRequest } from './client/remote-server.ts'
export { SseTransport } from './client/transports/sse-transport.ts'
export type { KnownSession, SessionSharing } from './client/shared-session.ts'
export { StdioTransport } from './client/transports/stdio-transport.ts'
export type { StdioTransportOptions } from './client/transports/stdio-transport.ts'
export { Subscriptions } from './client/subscriptions.ts'
export { WebSocketTransport } from './client/transports/websocket-transport.ts'
export { ConnectionLost, HttpError, SessionLost } from './client/transports/transport.ts'
export type {
  Mirrors,
  RequestSink,
  ServerMessage,
  ClientTransport,
  TransportListener,
} from './client/transports/transport.ts'
export { canAsk, checkAsk } from './protocol/asks.ts'
export { ERROR_META } from './protocol/keys.ts'
export { paramHeaders } from './protocol/headers.ts'
export type { ParamHeader } from './protocol/headers.ts'
