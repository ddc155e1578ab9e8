import { dpopProver, memoryCredentials, oauthAuthorizer } from '@causeway/engine/client'
import type { CredentialStore, OAuthAuthorizer, PendingLogin } from '@causeway/engine/client'
import type { AuthenticationRequest, Authenticator } from '@causeway/engine/http'
import type { GatewayLogins, LoginDoor } from './gateway-logins.ts'

const PROVER = 'prover'

/** The issuer whose principal it is, if one of those that clients come from. */
export const issuerOf = (principal: string, { authenticator }: LoginDoor): string | undefined =>
  authenticator?.authorizationServers?.find(issuer => principal.startsWith(`${issuer}#`))

/** Begin a login at an issuer of ours, for a token of this gateway: it says who is there. */
export function beginProof(logins: GatewayLogins, door: LoginDoor, issuer: string): Promise<PendingLogin> {
  return authorizerFor(logins, door, issuer, memoryCredentials()).beginLogin(logins.redirectUri())
}

/** A token of this gateway, and the key that it is bound to, if it is. */
export interface ProofToken {
  readonly token: string
  readonly dpopKey: string | undefined
}

/** What such a login comes to; it is kept nowhere. */
export async function finishProof(
  logins: GatewayLogins,
  door: LoginDoor,
  pending: PendingLogin,
  redirected: string,
): Promise<ProofToken> {
  const tokens = memoryCredentials()
  const { issuer } = pending.source.metadata
  await authorizerFor(logins, door, issuer, tokens).finishLogin(pending, redirected)
  const kept = await tokens.get({ kind: 'tokens', principal: PROVER, server: ownUrl(door) })
  return { token: kept?.accessToken ?? '', dpopKey: kept?.dpopKey }
}

type Asked = Omit<AuthenticationRequest, 'token' | 'dpopToken' | 'header'>
type Found = Awaited<ReturnType<Authenticator['authenticate']>>

/** Whose token it is; one that is bound to a key is shown with a proof, and again with the nonce that is asked for. */
export async function whoseToken(
  { token, dpopKey }: ProofToken,
  authenticator: Authenticator,
  asked: Asked,
): Promise<Found> {
  const plain = { ...asked, token, dpopToken: undefined, header: () => undefined }
  if (dpopKey === undefined) return authenticator.authenticate(plain)
  const prover = await dpopProver(dpopKey)
  const url = new URL(asked.url)
  const show = async (): Promise<Found> => {
    const proof = await prover.proof(asked.method, url, token)
    const header = (name: string): string | undefined => (name === 'dpop' ? proof : undefined)
    return authenticator.authenticate({ ...plain, token: undefined, dpopToken: token, header })
  }
  const found = await show()
  const nonce = found && 'refused' in found ? found.headers?.['DPoP-Nonce'] : undefined
  return nonce !== undefined && prover.learnNonce(url, { 'dpop-nonce': nonce }) ? show() : found
}

/** Logs in to this gateway itself. The client that is registered for that is kept as others are. */
function authorizerFor(
  logins: GatewayLogins,
  door: LoginDoor,
  issuer: string,
  tokens: CredentialStore,
): OAuthAuthorizer {
  const store: CredentialStore = {
    get: key => (key.kind === 'tokens' ? tokens : logins.store).get(key),
    set: (key, value) => (key.kind === 'tokens' ? tokens : logins.store).set(key, value),
    delete: key => (key.kind === 'tokens' ? tokens : logins.store).delete(key),
    exclusive: (key, task) => (key.kind === 'tokens' ? tokens : logins.store).exclusive(key, task),
  }
  const grant = { type: 'authorization_code', redirectUri: logins.redirectUri() } as const
  // Where no other tokens are taken, ours has to be bound too.
  const isBound = door.authenticator?.dpop === 'require'
  return oauthAuthorizer({ url: ownUrl(door), issuer, grant, store, principal: PROVER, ...(isBound && { dpop: true }) })
}

const ownUrl = (door: LoginDoor): string => `${door.url() ?? ''}/mcp`
