import type { Awaitable } from '../../call.ts'
import type { FetchJsonLimits } from '../../oauth/fetch-json.ts'
import type { CredentialStore } from './credential-store.ts'

/** A private key of the client's, whose public part the authorization server knows. */
export interface ClientPrivateKey {
  /** PKCS #8 in PEM form, or a JWK as JSON text. */
  readonly key: string
  /** The algorithm it signs with, such as `ES256`. */
  readonly alg: string
  readonly kid?: string
}

/** Where a token is asked for, to make an assertion for exactly that place. */
export interface AssertionAudience {
  readonly issuer: string
  readonly tokenEndpoint: string
  /** The server that the token is for, as its metadata spells it. */
  readonly resource: string | undefined
}

/** A person logs in with a browser. */
export interface AuthorizationCodeGrant {
  readonly type: 'authorization_code'
  /** Where the authorization server sends the browser back to. */
  readonly redirectUri: string
  /**
   * Opens the URL in the person's browser, and resolves to the whole URL that the browser was sent back to. Without it a
   * request that needs a login fails with `LoginRequired`: use `beginLogin` and `finishLogin`.
   */
  readonly open?: (url: string, signal: AbortSignal) => Promise<string>
}

/** The program itself logs in, with the secret or the private key of the client. */
export interface ClientCredentialsGrant {
  readonly type: 'client_credentials'
}

/** The program shows a token of the platform it runs on (workload identity, RFC 7523). */
export interface JwtBearerGrant {
  readonly type: 'jwt_bearer'
  readonly assertion: (audience: AssertionAudience) => Awaitable<string>
}

/** The identity provider of an organisation decides: its ID token is exchanged for a grant (ID-JAG), and that for a token. */
export interface EnterpriseGrant {
  readonly type: 'enterprise'
  readonly provider: {
    /** Found in the metadata of `issuer`, if it is not given. */
    readonly tokenEndpoint?: string
    readonly issuer: string
    readonly clientId: string
    readonly clientSecret?: string
  }
  /** The person's ID token of that provider. */
  readonly idToken: () => Awaitable<string>
}

/** How tokens are got. */
export type OAuthGrant = AuthorizationCodeGrant | ClientCredentialsGrant | JwtBearerGrant | EnterpriseGrant

/** How to log in to one server. */
export interface OAuthOptions {
  /** The URL of the MCP server. */
  readonly url: string
  readonly grant: OAuthGrant
  /** A client that was registered beforehand. Without it: `clientMetadataUrl`, and then dynamic registration. */
  readonly clientId?: string
  readonly clientSecret?: string
  /** Used in place of a secret (`private_key_jwt`). */
  readonly privateKey?: ClientPrivateKey
  /** The https URL of a client metadata document, which is the client's id where the authorization server supports that. */
  readonly clientMetadataUrl?: string
  /** The name that people see in dynamic registration. Default: `Causeway`. */
  readonly clientName?: string
  /** The issuer to use, and no other. Recommended with a secret: the server then cannot name another one to send it to. */
  readonly issuer?: string
  /**
   * `issuer` supports PKCE with S256, though its metadata says nothing of it, like that of Microsoft Entra ID. Without it a
   * login there is refused: whether the code is protected could not be known.
   */
  readonly assumePkce?: boolean
  /** Scopes to ask for in addition to those that the server asks for. */
  readonly scopes?: readonly string[]
  /**
   * Bind tokens to a key (DPoP, RFC 9449): true requires it. Default: if the server asks for it and the authorization
   * server supports it.
   */
  readonly dpop?: boolean
  /** Where tokens and registrations are kept. Default: in memory. */
  readonly store?: CredentialStore
  /** Whose tokens they are, in the store. Default: `default`. */
  readonly principal?: string
  /** Did the operator name the URL? Only then may it lead into private networks. Default: true. */
  readonly isTrusted?: boolean
  /** How much one answer of the authorization server may cost. Default: 256 kB and 10 s. */
  readonly limits?: FetchJsonLimits
  /** How long a person has for a login. Default: 5 minutes. */
  readonly loginTimeoutMs?: number
}
