export { bearerTokens, newToken } from './auth/bearer.ts'
export type { Authenticator } from './auth/bearer.ts'
export { serveHttp } from './transports/serve-http.ts'
export type { HttpOptions, HttpService } from './transports/serve-http.ts'
