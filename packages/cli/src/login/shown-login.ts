import type { LoginStatus } from '@causeway/engine/client'
import type { ListedLogin } from './sealed-credentials.ts'

/** A stored login without its secrets. */
export interface ShownLogin {
  readonly principal: string
  readonly issuer: string
  readonly scopes: readonly string[]
  /** When the access token ends, if that is known. */
  readonly expiresAt?: string
  /** Does it go on after that? */
  readonly canRefresh: boolean
}

/** What of a login may be shown. */
export const shownLogin = (principal: string, { issuer, scopes, expiresAt, canRefresh }: LoginFacts): ShownLogin => ({
  principal,
  issuer,
  scopes,
  ...(expiresAt !== undefined && { expiresAt: new Date(expiresAt).toISOString() }),
  canRefresh,
})

type LoginFacts = Pick<LoginStatus, 'issuer' | 'scopes' | 'canRefresh'> & { readonly expiresAt?: number | undefined }

/** Logins as programs get them. */
export const shownLogins = (found: readonly ListedLogin[]): readonly (ShownLogin | { readonly problem: string })[] =>
  found.map(one =>
    'problem' in one
      ? { problem: one.problem }
      : shownLogin(one.principal, { ...one.tokens, canRefresh: one.tokens.refreshToken !== undefined }),
  )

/** One login, as a line for people. */
export function loginLine(login: ShownLogin | { readonly problem: string }, now: number = Date.now()): string {
  if ('problem' in login) return login.problem
  const { principal, issuer, scopes, expiresAt, canRefresh } = login
  const rights = scopes.length === 0 ? '' : ` (${scopes.join(' ')})`
  return `${principal} is logged in at ${issuer}${rights}, ${untilWhen(expiresAt, canRefresh, now)}`
}

function untilWhen(expiresAt: string | undefined, canRefresh: boolean, now: number): string {
  if (expiresAt === undefined) return 'until the server ends it'
  const at = expiresAt.replace('T', ' ').replace(/\.\d+Z$/, ' UTC')
  if (canRefresh) return `until it is refreshed at ${at}`
  return Date.parse(expiresAt) > now ? `until ${at}` : `but that ended at ${at}`
}
