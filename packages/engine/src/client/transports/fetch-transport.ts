import { AuthorizedClient } from '../auth/authorized-client.ts'
import { CREDENTIAL_HEADERS } from '../auth/authorizer.ts'
import type { Authorizer } from '../auth/authorizer.ts'
import { FetchClient } from './fetch-client.ts'
import { StreamableHttpTransport } from './streamable-http-transport.ts'
import type { StreamableHttpOptions } from './streamable-http-transport.ts'
import type { ClientTransport } from './transport.ts'

/** Where a server is. */
export interface FetchTransportOptions extends Omit<StreamableHttpOptions, 'headers'> {
  /** Headers of every request, such as a token; asked for each time. */
  readonly headers?: () => Readonly<Record<string, string>>
  /** Gives each request its credentials, and gets better ones where the server refuses them. */
  readonly authorizer?: Authorizer
}

const LARGEST = 32 * 1024 * 1024

/** A server behind one URL, by Streamable HTTP with the platform's own `fetch`, so that it works in a browser as well. */
export function fetchTransport({
  headers = () => ({}),
  authorizer,
  ...options
}: FetchTransportOptions): ClientTransport {
  const client = new FetchClient({ ownHeaders: () => [...Object.keys(headers()), ...CREDENTIAL_HEADERS] })
  const authorized = authorizer ? new AuthorizedClient(client, authorizer) : client
  return new StreamableHttpTransport({ maxMessage: LARGEST, ...options, headers }, authorized)
}
