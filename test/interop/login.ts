import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from '@modelcontextprotocol/client'
import type {
  DpopSession,
  OAuthClientProvider as ProviderV2,
  OAuthDiscoveryState,
  VersionNegotiationMode,
} from '@modelcontextprotocol/client'
import type { OAuthClientProvider as ProviderV1 } from '@modelcontextprotocol/sdk/client/auth.js'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type {
  OAuthClientInformationMixed,
  OAuthClientMetadata,
  OAuthTokens,
} from '@modelcontextprotocol/sdk/shared/auth.js'
import type { AuthorizationServer } from '../support/authorization-server.ts'

const INFO = { name: 'interop', version: '1.0.0' }
const CALLBACK = 'http://127.0.0.1:1/callback'

/** What an official client keeps of its logins, and where it sends its user. */
export class Login implements ProviderV1, ProviderV2 {
  readonly redirectUrl: string = CALLBACK
  readonly clientMetadata: OAuthClientMetadata = {
    client_name: 'interop',
    redirect_uris: [CALLBACK],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  }
  known: OAuthTokens | undefined
  /** Where the user was sent, in order. */
  readonly visits: URL[] = []
  #client: OAuthClientInformationMixed | undefined
  #verifier = ''
  #discovered: OAuthDiscoveryState | undefined
  readonly #dpop: DpopSession | undefined

  constructor(dpop?: DpopSession) {
    this.#dpop = dpop
  }

  dpop(): DpopSession | undefined {
    return this.#dpop
  }

  discoveryState(): OAuthDiscoveryState | undefined {
    return this.#discovered
  }

  saveDiscoveryState(state: OAuthDiscoveryState): void {
    this.#discovered = state
  }

  clientInformation(): OAuthClientInformationMixed | undefined {
    return this.#client
  }

  saveClientInformation(client: OAuthClientInformationMixed): void {
    this.#client = client
  }

  tokens(): OAuthTokens | undefined {
    return this.known
  }

  saveTokens(tokens: OAuthTokens): void {
    this.known = tokens
  }

  redirectToAuthorization(url: URL): void {
    this.visits.push(url)
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier
  }

  codeVerifier(): string {
    return this.#verifier
  }
}

/** A client that is logged in. */
export interface LoggedIn {
  readonly version: string | undefined
  call(name: string): Promise<unknown>
  close(): Promise<void>
}

/** An official client that logs in by itself: where its user is sent, somebody logs in and comes back. */
export interface LoginMode {
  readonly name: string
  connect(url: URL, login: Login, at: AuthorizationServer): Promise<LoggedIn>
}

interface Connecting<T> {
  open(): T
  connect(transport: T): Promise<unknown>
  finish(transport: T, back: URL): Promise<void>
}

/** Connect; if that asks for a login, log in and connect again. */
async function connected<T>(
  login: Login,
  at: AuthorizationServer,
  { open, connect, finish }: Connecting<T>,
): Promise<T> {
  const refused = open()
  try {
    await connect(refused)
    return refused
  } catch (error) {
    const sentTo = login.visits.at(-1)
    if (!sentTo || login.known) throw error
    await finish(refused, await at.logIn(sentTo))
  }
  const transport = open()
  await connect(transport)
  return transport
}

/** The client of SDK 1. */
export const sdk1: LoginMode = {
  name: 'sdk 1',
  async connect(url, login, at) {
    let client = new ClientV1(INFO)
    let version: string | undefined
    await connected<HttpV1>(login, at, {
      open: () => new HttpV1(url, { authProvider: login }),
      connect: transport => {
        client = new ClientV1(INFO)
        const set = transport.setProtocolVersion.bind(transport)
        transport.setProtocolVersion = agreed => {
          version = agreed
          set(agreed)
        }
        return client.connect(transport)
      },
      finish: (transport, back) => transport.finishAuth(back.searchParams.get('code') ?? ''),
    })
    return { version, call: name => client.callTool({ name, arguments: {} }), close: () => client.close() }
  },
}

/** The client of SDK 2, in one of its modes. */
export const client2 = (name: string, mode: VersionNegotiationMode): LoginMode => ({
  name: `client 2, ${name}`,
  async connect(url, login, at) {
    let client = new ClientV2(INFO)
    await connected<HttpV2>(login, at, {
      open: () => new HttpV2(url, { authProvider: login }),
      connect: transport => {
        client = new ClientV2(INFO, { versionNegotiation: { mode } })
        return client.connect(transport)
      },
      finish: (transport, back) => transport.finishAuth(back.searchParams),
    })
    const version = client.getNegotiatedProtocolVersion()
    return { version, call: tool => client.callTool({ name: tool, arguments: {} }), close: () => client.close() }
  },
})
