import { quote } from '../../quote.ts'
import type { Setting } from '../config.ts'
import { fitsAddress, parseAddress, showAddress } from './address.ts'
import type { Protocol, RemoteAddress } from './address.ts'

/** Which addresses the operator allows: all that are encrypted or inside the roots, or those that patterns name. */
export type AllowedRemotes = true | readonly string[]

/** Another repository, by the name that this one has for it. */
export interface Remote {
  readonly name: string
  readonly url: string
  readonly protocol: Protocol
  /** The address without a password. */
  readonly shown: string
}

/** What is wanted of a remote. */
export interface RemoteQuery {
  /** Default: that of the branch, else `origin`, else the only one. */
  readonly name?: string | undefined
  readonly branch?: string | undefined
  readonly direction: 'fetch' | 'push'
  readonly allowed: AllowedRemotes
}

interface Settings {
  readonly settings: readonly Setting[]
  readonly ownerSettings: readonly Setting[]
}

const NAME = /^[A-Za-z\d][\w/-]*(?:\.[\w/-]+)*$/

/** Find a remote in the repository's configuration, which is read as data, and judge its address. */
export function findRemote({ settings, ownerSettings }: Settings, query: RemoteQuery): Remote {
  const name = nameOf(settings, query)
  const [own] = query.direction === 'push' ? valuesOf(settings, `remote.${name}.pushurl`) : []
  const [usual = ''] = valuesOf(settings, `remote.${name}.url`)
  const isRedirected = query.direction === 'push' && own === undefined
  const url = rewritten(own ?? usual, ownerSettings, isRedirected)
  const address = parseAddress(url)
  if (address === undefined)
    throw new Error(
      `The remote ${quote(name)} has the address ${quote(withoutPassword(url))}, which is not used here. ` +
        'Addresses may be https://…, ssh://…, user@host:path, or a path inside the roots.',
    )
  mustBeAllowed(name, address, query.allowed)
  return { name, url, protocol: address.protocol, shown: showAddress(address) }
}

function nameOf(settings: readonly Setting[], { name, branch }: RemoteQuery): string {
  const known = [...new Set(settings.flatMap(([key]) => /^remote\.([^\0\n]+)\.url$/.exec(key)?.[1] ?? []))]
  const usual = [
    valuesOf(settings, `branch.${branch ?? ''}.remote`).at(-1),
    'origin',
    ...(known.length === 1 ? known : []),
  ]
  const found = name ?? usual.find(one => one !== undefined && known.includes(one))
  if (found !== undefined && known.includes(found) && NAME.test(found)) return found
  const names = known.map(quote).join(', ').slice(0, 500)
  const sent = name === undefined ? '' : `, got ${quote(name)}`
  throw new Error(
    known.length === 0
      ? 'This repository has no remotes.'
      : `Parameter 'remote' must be the name of a remote of this repository${sent}. Remotes: ${names}.`,
  )
}

const valuesOf = (settings: readonly Setting[], key: string): string[] =>
  settings.filter(([candidate]) => candidate === key).map(([, value]) => value)

/** As the owner of the machine wants addresses replaced; what the repository says about that is not used. */
function rewritten(url: string, owner: readonly Setting[], isPush: boolean): string {
  const rules = (kind: string): (readonly [prefix: string, base: string])[] =>
    owner.flatMap(([key, prefix]) => {
      const base = new RegExp(`^url\\.([^\\0\\n]+)\\.${kind}$`).exec(key)?.[1]
      return base !== undefined && prefix !== '' && url.startsWith(prefix) ? [[prefix, base] as const] : []
    })
  const longest = (found: (readonly [string, string])[]): readonly [string, string] | undefined =>
    found.sort(([a], [b]) => b.length - a.length)[0]
  const rule = (isPush ? longest(rules('pushinsteadof')) : undefined) ?? longest(rules('insteadof'))
  return rule ? rule[1] + url.slice(rule[0].length) : url
}

/** What is not encrypted must be named by a pattern that says so. */
function mustBeAllowed(name: string, address: RemoteAddress, allowed: AllowedRemotes): void {
  const patterns = allowed === true ? ['*'] : allowed
  const isOpen = address.protocol !== 'http'
  if (patterns.some(pattern => (isOpen || pattern.startsWith('http://')) && fitsAddress(pattern, address))) return
  const why = isOpen
    ? `the operator allows only ${patterns.map(quote).join(', ')} (--remote-url)`
    : 'it is not encrypted, and is used only if the operator names it: --remote-url http://HOST/*'
  throw new Error(`The remote ${quote(name)} is at ${quote(showAddress(address))}: ${why}.`)
}

/** For an address that cannot be taken apart: whatever might be a password is left out. */
const withoutPassword = (url: string): string => url.replace(/^(\w+:\/\/)[^/]*@/, '$1').replaceAll(/:[^/@:]*@/g, '@')
