/** How a child process is started. */
export interface StdioTarget {
  readonly kind: 'stdio'
  readonly command: string
  readonly args: readonly string[]
  /** What it gets in addition to PATH and HOME. */
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string | undefined
}

/** Where a server listens. */
export interface RemoteTarget {
  readonly kind: 'http' | 'sse' | 'ws'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

/** How to log in to a server by OAuth. */
export interface UpstreamAuth {
  /** A person logs in, or the gateway itself does. */
  readonly grant: 'authorization_code' | 'client_credentials' | 'jwt_bearer' | 'enterprise'
  readonly clientId?: string
  readonly clientSecret?: string
  /** Used in place of a secret (`private_key_jwt`). */
  readonly privateKey?: { readonly key: string; readonly alg: string; readonly kid?: string }
  /** Asked for in addition to those that the server asks for. */
  readonly scopes: readonly string[]
  readonly clientMetadataUrl?: string
  readonly dpop?: boolean
  /** The issuer to use, and no other. */
  readonly issuer?: string
  /** That issuer supports PKCE, though its metadata does not say so. */
  readonly assumePkce?: boolean
  /** Holds the token of the platform, for `jwt_bearer`; it is read each time. */
  readonly assertionFile?: string
  /** The identity provider of the organisation, for `enterprise`. */
  readonly provider?: IdentityProvider
  /** Holds the ID token that the provider issued, for `enterprise`; it is read each time. */
  readonly idTokenFile?: string
}

/** The identity provider of an organisation, and the client that the gateway is there. */
export interface IdentityProvider {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret?: string
  /** Found in the metadata of `issuer`, if it is not given. */
  readonly tokenEndpoint?: string
}

/** What its owner lets a server use. */
export interface UpstreamLimits {
  /** Calls at once. */
  readonly inFlight: number
  /** Bytes of one message. */
  readonly messageBytes: number
}

/** One server behind the gateway, as its file describes it. */
export interface UpstreamConfig {
  readonly name: string
  readonly target: StdioTarget | RemoteTarget
  readonly disabled: boolean
  /** How to log in to it; without it, people log in if it asks for that. */
  readonly auth?: UpstreamAuth
  /** Stands before the names of its tools and prompts; false keeps them bare. */
  readonly prefix: string | false
  /** Patterns of tools to offer; without any, all. */
  readonly tools: readonly string[]
  readonly exclude: readonly string[]
  /** Other names and descriptions, by the tool's own name. */
  readonly rename: Readonly<Record<string, string>>
  readonly describe: Readonly<Record<string, string>>
  readonly timeoutMs: number
  readonly startTimeoutMs: number
  readonly limits: UpstreamLimits
  /** How many processes of it may run. */
  readonly processes: number
  /** Do all clients share one process? Default: only where all clients are one person's. */
  readonly shared?: boolean
  /** Stopped after this time without calls; 0 means never. */
  readonly idleMs: number
  /** False leaves out what the server says of itself. Default: it is passed on. */
  readonly instructions?: false
  /** Is the entry the operator's own, so that it may lead into private networks? Default: yes. */
  readonly trusted?: boolean
  /** The revision of the protocol to speak to it, and no other; default: the newest both know. */
  readonly revision?: string
  /** Started when first needed, or with the gateway. */
  readonly start: 'lazy' | 'eager'
}

/** Does the operator give the server a credential of its own? */
export const hasAuthorization = ({ headers }: Pick<RemoteTarget, 'headers'>): boolean =>
  Object.keys(headers).some(name => name.toLowerCase() === 'authorization')
