import { oauthAuthorizer } from '@causeway/engine/client'
import { isGiven } from '../../config/args.ts'
import type { Args } from '../../config/args.ts'
import { readConfig } from '../../config/config.ts'
import { UsageError } from '../../config/usage-error.ts'
import { loginTarget } from '../../login/login-target.ts'
import type { LoginTarget } from '../../login/login-target.ts'
import { LOCAL_PRINCIPAL, withCredentials } from '../../login/open-credentials.ts'
import { forgetRegistration } from '../../login/run-login.ts'
import type { SealedCredentials } from '../../login/sealed-credentials.ts'
import { complain, counted, print, printJson } from '../../terminal/print.ts'
import { serverIn } from './login.ts'

/** Delete stored logins, and ask their issuer to revoke the tokens. */
export async function logout(args: Args): Promise<number> {
  const config = readConfig(args)
  const target = loginTarget(serverIn(args), config)
  const named = args.given.get('principal')?.at(-1)
  const isAll = isGiven(args, 'all')
  if (isAll && named !== undefined) throw new UsageError('--principal and --all exclude each other.')
  const principal = isAll ? undefined : (named ?? LOCAL_PRINCIPAL)
  const ended = await withCredentials(config, credentials => endLogins(credentials, target, principal))
  if (isGiven(args, 'json')) await printJson({ server: target.shown, loggedOut: ended })
  else await print(inWords(target, ended, principal))
  return 0
}

function inWords({ shown }: LoginTarget, ended: readonly string[], principal: string | undefined): string {
  if (ended.length === 0)
    return principal === undefined ? `There are no logins to ${shown}.` : `${principal} was not logged in to ${shown}.`
  if (principal !== undefined) return `${principal} is logged out of ${shown}.`
  return `${counted(ended.length, 'principal')} logged out of ${shown}: ${ended.join(', ')}.`
}

/** End the login of a principal, or all logins; whose they were. */
async function endLogins(
  credentials: SealedCredentials,
  target: LoginTarget,
  principal: string | undefined,
): Promise<readonly string[]> {
  if (principal !== undefined) return endLogin(credentials, target, principal)
  const ended: string[] = []
  for (const found of await credentials.logins(target.url)) {
    if ('problem' in found) {
      await found.forget()
      ended.push('a login that could not be read')
    } else ended.push(...(await endLogin(credentials, target, found.principal)))
  }
  return ended
}

async function endLogin(credentials: SealedCredentials, { url }: LoginTarget, principal: string): Promise<string[]> {
  const key = { kind: 'tokens', principal, server: url } as const
  const tokens = await credentials.get(key).catch(async (error: unknown) => {
    // Tokens that cannot be read cannot be revoked, but they can be deleted.
    await credentials.delete(key)
    complain(`causeway: ${error instanceof Error ? error.message : String(error)} It was deleted.`)
    return 'unreadable' as const
  })
  if (tokens === undefined) return []
  if (tokens === 'unreadable') return [principal]
  const grant = { type: 'authorization_code', redirectUri: '' } as const
  await oauthAuthorizer({ url, grant, store: credentials, principal }).logout()
  await forgetRegistration(credentials, tokens)
  return [principal]
}
