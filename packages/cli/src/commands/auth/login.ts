import { isLoopback } from '@causeway/engine/internal'
import { isGiven } from '../../config/args.ts'
import type { Args } from '../../config/args.ts'
import { readConfig } from '../../config/config.ts'
import type { Config } from '../../config/config.ts'
import { UsageError } from '../../config/usage-error.ts'
import { loginTarget } from '../../login/login-target.ts'
import { openBrowser } from '../../login/open-browser.ts'
import { LOCAL_PRINCIPAL, withCredentials } from '../../login/open-credentials.ts'
import { runLogin } from '../../login/run-login.ts'
import type { LoginRun } from '../../login/run-login.ts'
import { loginLine, shownLogin } from '../../login/shown-login.ts'
import { complain, print, printJson } from '../../terminal/print.ts'

const WITHIN_MS = 5 * 60_000

/** Log in to a server with a browser, and keep the tokens for calls and gateways. */
export async function login(args: Args): Promise<number> {
  const config = readConfig(args)
  const target = loginTarget(serverIn(args), config)
  const principal = args.given.get('principal')?.at(-1) ?? LOCAL_PRINCIPAL
  const chosen = choicesOf(args, config)
  const stopping = new AbortController()
  const stop = (): void => stopping.abort()
  process.once('SIGINT', stop)
  try {
    const status = await withCredentials(config, credentials =>
      runLogin({ ...chosen, target, credentials, principal, signal: stopping.signal, input: process.stdin }),
    )
    const shown = { server: target.shown, ...shownLogin(principal, status) }
    await (isGiven(args, 'json') ? printJson(shown) : print(`${target.shown}: ${loginLine(shown)}.`))
    return 0
  } finally {
    process.off('SIGINT', stop)
  }
}

/** The one server that a command names. */
export function serverIn({ positionals, command }: Args): string {
  const [server, ...rest] = positionals
  if (server === undefined || rest.length > 0) throw new UsageError(`Name one server or URL. Usage: ${command.usage}`)
  return server
}

type Choices = Pick<LoginRun, 'client' | 'redirectUri' | 'timeoutMs' | 'show' | 'say'>

function choicesOf(args: Args, config: Config): Choices {
  const { given } = args
  const clientId = given.get('client-id')?.at(-1)
  const clientSecret = secretIn(given.get('client-secret-env')?.at(-1))
  if (clientSecret !== undefined && clientId === undefined)
    throw new UsageError('--client-secret-env needs --client-id ID.')
  const scopes = (given.get('scope') ?? []).flatMap(value => value.split(/[\s,]+/)).filter(scope => scope !== '')
  return {
    client: {
      ...(clientId !== undefined && { clientId }),
      ...(clientSecret !== undefined && { clientSecret }),
      ...(scopes.length > 0 && { scopes }),
    },
    redirectUri: redirectIn(given.get('redirect-uri')?.at(-1)),
    timeoutMs: (given.has('timeout') ? config.timeout : undefined) ?? WITHIN_MS,
    show: url => showLink(url, !isGiven(args, 'no-browser')),
    say: complain,
  }
}

function showLink(url: string, mayOpen: boolean): void {
  complain(
    `Open this link in a browser to log in:\n\n  ${url}\n\nIf the browser is on another machine, it ends on a page that it cannot load. Copy the address of that page, paste it here, and press Enter.`,
  )
  if (mayOpen) openBrowser(url)
}

function secretIn(variable: string | undefined): string | undefined {
  if (variable === undefined) return undefined
  const secret = process.env[variable]?.trim() ?? ''
  if (secret !== '') return secret
  throw new UsageError(`--client-secret-env: the environment variable ${variable.slice(0, 100)} is not set.`)
}

function redirectIn(text: string | undefined): URL | undefined {
  if (text === undefined) return undefined
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol === 'http:' && isLoopback(url.hostname) && `${url.search}${url.hash}${url.username}` === '')
    return url
  throw new UsageError(
    `--redirect-uri must be an address of this machine such as http://127.0.0.1:8765/callback, got '${text.slice(0, 200)}'.`,
  )
}
