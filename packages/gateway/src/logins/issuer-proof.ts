import { memoryCredentials, oauthAuthorizer } from '@causeway/engine/client'
import type { CredentialStore, OAuthAuthorizer, PendingLogin } from '@causeway/engine/client'
import type { GatewayLogins, LoginDoor } from './gateway-logins.ts'

const PROVER = 'prover'

/** The issuer whose principal it is, if one of those that clients come from. */
export const issuerOf = (principal: string, { authenticator }: LoginDoor): string | undefined =>
  authenticator?.authorizationServers?.find(issuer => principal.startsWith(`${issuer}#`))

/** Begin a login at an issuer of ours, for a token of this gateway: it says who is there. */
export function beginProof(logins: GatewayLogins, door: LoginDoor, issuer: string): Promise<PendingLogin> {
  return authorizerFor(logins, door, issuer, memoryCredentials()).beginLogin(logins.redirectUri())
}

/** The token that such a login comes to; it is kept nowhere. */
export async function finishProof(
  logins: GatewayLogins,
  door: LoginDoor,
  pending: PendingLogin,
  redirected: string,
): Promise<string> {
  const tokens = memoryCredentials()
  const { issuer } = pending.source.metadata
  await authorizerFor(logins, door, issuer, tokens).finishLogin(pending, redirected)
  const kept = await tokens.get({ kind: 'tokens', principal: PROVER, server: ownUrl(door) })
  return kept?.accessToken ?? ''
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
  return oauthAuthorizer({ url: ownUrl(door), issuer, grant, store, principal: PROVER })
}

const ownUrl = (door: LoginDoor): string => `${door.url() ?? ''}/mcp`
