import {
  SseTransport,
  WebSocketTransport,
  childTransport,
  httpTransport,
  oauthAuthorizer,
  plainEnvironment,
} from '@causeway/engine/client'
import type { Authorizer, CredentialStore, HttpTransportOptions, Target } from '@causeway/engine/client'
import { splitWords } from '@causeway/engine/internal'
import type { Args } from '../config/args.ts'
import { isGiven } from '../config/args.ts'
import { UsageError } from '../config/usage-error.ts'
import { LOCAL_PRINCIPAL } from '../login/open-credentials.ts'

/** A server that runs elsewhere, or a command that is started to be one. */
export interface RemoteTarget {
  readonly target: Target
  /** How it is named to people; without headers. */
  readonly shown: string
  /** The address, unless it is a command. */
  readonly url?: URL
  /** How the address is reached, if by HTTP. */
  readonly http?: HttpTransportOptions
}

const SCHEMES = ['http:', 'https:', 'ws:', 'wss:']

/** The server that --url or --command names. */
export function remoteTarget(args: Args, credentials: CredentialStore): RemoteTarget {
  const url = args.given.get('url')?.at(-1)
  const command = args.given.get('command')?.at(-1)
  if (url !== undefined && command !== undefined) throw new UsageError('--url and --command exclude each other.')
  if (url !== undefined) return urlTarget(url, args, credentials)
  const words = splitWords(command ?? '')
  if (typeof words === 'string') throw new UsageError(`--command ${words}, got '${command?.slice(0, 100)}'.`)
  return commandTarget(words, args)
}

/** The server at a URL, with the headers of the command line; without a token there, with the stored login. */
export function urlTarget(text: string, args: Args, credentials: CredentialStore): RemoteTarget {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !SCHEMES.includes(url.protocol))
    throw new UsageError(`--url must be an address such as http://127.0.0.1:5000/mcp, got '${text.slice(0, 200)}'.`)
  if (url.username !== '' || url.password !== '')
    throw new UsageError('--url must not hold a password. Use --token-env NAME or --header "NAME: VALUE".')
  const headers = headersOf(args)
  const hasToken = Object.keys(headers).some(name => name.toLowerCase() === 'authorization')
  const options: HttpTransportOptions = {
    url: url.href,
    headers,
    ...(!hasToken && { authorizer: storedLogin(url.href, credentials) }),
  }
  // What is behind ? may be a secret.
  const shown = `${url.origin}${url.pathname}`
  if (url.protocol.startsWith('ws')) return { target: { open: () => new WebSocketTransport(options) }, shown, url }
  return {
    target: { open: () => httpTransport(options), fallback: () => new SseTransport(options) },
    shown,
    url,
    http: options,
  }
}

/** Uses and refreshes the tokens of a login, and never starts one. */
const storedLogin = (url: string, store: CredentialStore): Authorizer =>
  oauthAuthorizer({ url, store, principal: LOCAL_PRINCIPAL, grant: { type: 'authorization_code', redirectUri: '' } })

/** A command that serves on its standard input and output. */
export function commandTarget(words: readonly string[], args: Args): RemoteTarget {
  const [command = '', ...rest] = words
  const env = { ...plainEnvironment(), ...passed(args.given.get('pass-env') ?? []) }
  const stderr = isGiven(args, 'quiet') ? 'ignore' : 'inherit'
  return { target: { open: () => childTransport({ command, args: rest, env, stderr }) }, shown: words.join(' ') }
}

const passed = (names: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    names
      .flatMap(text => text.split(','))
      .map(name => [name.trim(), process.env[name.trim()]])
      .filter((pair): pair is [string, string] => pair[1] !== undefined),
  )

function headersOf(args: Args): Record<string, string> {
  const headers = Object.fromEntries((args.given.get('header') ?? []).map(headerIn))
  const variable = args.given.get('token-env')?.at(-1)
  if (variable === undefined) return headers
  const token = process.env[variable]?.trim() ?? ''
  if (token === '') throw new UsageError(`--token-env: the environment variable ${variable.slice(0, 100)} is not set.`)
  return { ...headers, Authorization: `Bearer ${token}` }
}

function headerIn(text: string): [string, string] {
  const [, name, value] = /^([\w!#$%&'*+.^`|~-]+):[ \t]*([^\r\n]*)$/.exec(text.trim()) ?? []
  // The value is not repeated: it may be a secret.
  if (name === undefined || value === undefined) throw new UsageError('--header is written "NAME: VALUE".')
  return [name, value]
}
