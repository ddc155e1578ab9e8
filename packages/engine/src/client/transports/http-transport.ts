import type { LookupFunction } from 'node:net'
import { AuthorizedClient } from '../auth/authorized-client.ts'
import { CREDENTIAL_HEADERS } from '../auth/authorizer.ts'
import type { Authorizer } from '../auth/authorizer.ts'
import type { HttpClient } from './http-client.ts'
import { StreamableHttpTransport } from './streamable-http-transport.ts'
import type { ClientTransport } from './transport.ts'
import { UndiciClient } from './undici-client.ts'

/** Where a server is, and how requests to it leave this machine. */
export interface HttpTransportOptions {
  readonly url: string
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>
  /** Gives each request its credentials, and gets better ones where the server refuses them. */
  readonly authorizer?: Authorizer
  /** The largest message taken, in bytes. Default: 10 MB. */
  readonly maxMessage?: number
  /** Resolves names of hosts, and may refuse to. */
  readonly lookup?: LookupFunction
  /** Is asked before anything is sent to another address than `url`; throws to refuse. */
  readonly allow?: (url: URL) => void
}

/** The client that these options ask for. */
export function clientFor({ headers = {}, authorizer, lookup, allow }: HttpTransportOptions): HttpClient {
  const ownHeaders = (): string[] => [...Object.keys(headers), ...CREDENTIAL_HEADERS]
  const client = new UndiciClient({ ownHeaders, lookup, allow })
  return authorizer ? new AuthorizedClient(client, authorizer) : client
}

/** A server behind one URL, by Streamable HTTP. */
export function httpTransport(options: HttpTransportOptions): ClientTransport {
  const { url, headers = {}, maxMessage } = options
  return new StreamableHttpTransport({ url, headers: () => headers, maxMessage }, clientFor(options))
}
