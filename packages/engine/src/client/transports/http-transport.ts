import type { LookupFunction } from 'node:net'
import { StreamableHttpTransport } from './streamable-http-transport.ts'
import type { ClientTransport } from './transport.ts'
import { UndiciClient } from './undici-client.ts'

/** Where a server is, and how requests to it leave this machine. */
export interface HttpTransportOptions {
  readonly url: string
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>
  /** The largest message taken, in bytes. Default: 10 MB. */
  readonly maxMessage?: number
  /** Resolves names of hosts, and may refuse to. */
  readonly lookup?: LookupFunction
  /** Is asked before anything is sent to another address than `url`; throws to refuse. */
  readonly allow?: (url: URL) => void
}

/** The client that these options ask for. */
export const clientFor = ({ headers = {}, lookup, allow }: HttpTransportOptions): UndiciClient =>
  new UndiciClient({ ownHeaders: () => Object.keys(headers), lookup, allow })

/** A server behind one URL, by Streamable HTTP. */
export function httpTransport(options: HttpTransportOptions): ClientTransport {
  const { url, headers = {}, maxMessage } = options
  return new StreamableHttpTransport({ url, headers: () => headers, maxMessage }, clientFor(options))
}
