import { didYouMean } from '@causeway/engine'
import type { OAuthOptions } from '@causeway/engine/client'
import type { UpstreamConfig } from '@causeway/gateway'
import type { Config } from '../config/config.ts'
import { orDefault, readServersFiles } from '../config/files/servers-file.ts'
import { UsageError, sentence } from '../config/usage-error.ts'

/** A server to log in to. */
export interface LoginTarget {
  /** As its clients dial it: a login belongs to exactly this text. */
  readonly url: string
  /** How it is named to people. */
  readonly shown: string
  /** What its entry says about the login. */
  readonly client: LoginClient
}

/** The client that logs in, and what it asks for. */
export type LoginClient = Pick<
  OAuthOptions,
  | 'clientId'
  | 'clientSecret'
  | 'privateKey'
  | 'clientMetadataUrl'
  | 'issuer'
  | 'assumePkce'
  | 'scopes'
  | 'dpop'
  | 'isTrusted'
>

const SCHEMES = ['http:', 'https:', 'ws:', 'wss:']

/** The server that a word names: a URL, or an entry in the files of servers. */
export function loginTarget(word: string, { servers }: Pick<Config, 'servers'>): LoginTarget {
  return /^[a-z][\w+.-]*:\/\//i.test(word) ? urlTarget(word) : entryTarget(word, orDefault(servers))
}

function urlTarget(text: string): LoginTarget {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !SCHEMES.includes(url.protocol))
    throw new UsageError(`The URL must be an address such as https://example.com/mcp, got '${text.slice(0, 200)}'.`)
  if (url.username !== '' || url.password !== '') throw new UsageError('The URL must not contain a password.')
  // What is behind ? may be a secret.
  return { url: url.href, shown: `${url.origin}${url.pathname}`, client: {} }
}

function entryTarget(name: string, files: readonly string[]): LoginTarget {
  const { upstreams } = readServersFiles(files)
  const found = upstreams.find(one => one.name === name)
  if (!found) {
    const names = upstreams.map(one => one.name)
    const known = names.length === 0 ? 'The file has no servers.' : `Servers: ${names.join(', ')}.`
    throw new UsageError(
      sentence(`There is no server '${name.slice(0, 100)}'.`, didYouMean(name, names), known, 'A URL works, too.'),
    )
  }
  return targetOf(found)
}

/** How to log in to the server of an entry; one that does not need a person is refused. */
export function targetOf({ name, target, trusted, auth }: UpstreamConfig): LoginTarget {
  if (target.kind === 'stdio')
    throw new UsageError(`${name} is started as a command. Only servers with a URL have a login.`)
  if (Object.keys(target.headers).some(header => header.toLowerCase() === 'authorization'))
    throw new UsageError(`${name} needs no login: its entry has a header Authorization.`)
  const { grant = 'authorization_code', assertionFile: _, provider: _p, idTokenFile: _t, ...client } = auth ?? {}
  if (grant !== 'authorization_code')
    throw new UsageError(`${name} needs no login: the gateway gets tokens by itself ("grant": "${grant}").`)
  return { url: target.url, shown: name, client: { ...client, ...(trusted === false && { isTrusted: false }) } }
}
