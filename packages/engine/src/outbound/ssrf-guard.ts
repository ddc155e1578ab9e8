import { lookup as lookUp } from 'node:dns'
import { lookup as resolve } from 'node:dns/promises'
import { BlockList, isIP } from 'node:net'
import type { LookupFunction } from 'node:net'

const PRIVATE: BlockList = new BlockList()
for (const [network, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const)
  PRIVATE.addSubnet(network, bits, 'ipv4')
for (const [network, bits] of [
  ['::', 127],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['100::', 64],
  ['2001::', 32],
  ['2002::', 16],
  ['fec0::', 10],
  ['fc00::', 7],
  ['fe80::', 10],
  ['ff00::', 8],
] as const)
  PRIVATE.addSubnet(network, bits, 'ipv6')

/** Is it an address of this machine or of a network that outsiders have no business in? */
export function isPrivate(address: string): boolean {
  const bare = address.replace(/^\[|\]$/g, '').replace(/%.*$/, '')
  const kind = isIP(bare)
  if (kind === 4) return PRIVATE.check(bare, 'ipv4')
  if (kind !== 6) return false
  // An IPv4 address may be written as one of IPv6.
  const mapped = /^::(?:ffff:)?(\d+\.\d+\.\d+\.\d+)$/i.exec(new URL(`http://[${bare}]`).hostname.slice(1, -1))?.[1]
  const hex = /^::(?:ffff:(?:0:)?)?([\da-f]{1,4}):([\da-f]{1,4})$/i.exec(
    new URL(`http://[${bare}]`).hostname.slice(1, -1),
  )
  if (mapped !== undefined) return PRIVATE.check(mapped, 'ipv4')
  if (hex) return PRIVATE.check(fromHex(hex[1] ?? '', hex[2] ?? ''), 'ipv4')
  return PRIVATE.check(bare, 'ipv6')
}

function fromHex(high: string, low: string): string {
  const [a, b] = [Number.parseInt(high, 16), Number.parseInt(low, 16)]
  return [a >> 8, a & 255, b >> 8, b & 255].join('.')
}

/** Is that host private by its address, or by a name that always means this machine? */
export const isPrivateHost = (host: string): boolean => isPrivate(host) || /(?:^|\.)localhost$/i.test(host)

/** Refuse a URL whose host is a private address, by number or by name. */
export function checkUrl(url: URL): void {
  const host = url.hostname.toLowerCase()
  if (!isPrivateHost(host)) return
  throw refusal(host, host)
}

/** Resolves names, and refuses those that lead to a private address: checked where the connection is made, so that no second answer can differ. */
export const publicLookup: LookupFunction = (hostname, options, callback) => {
  lookUp(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) return callback(error, '', 0)
    const wrong = addresses.find(({ address }) => isPrivate(address))
    if (wrong) return callback(refusal(hostname, wrong.address), '', 0)
    const [first] = addresses
    if (options.all) return (callback as (e: null, all: typeof addresses) => void)(null, addresses)
    callback(null, first?.address ?? '', first?.family ?? 4)
  })
}

/** What a connection to a server must pass: the lookup of names, and the word on other addresses it leads to. */
export interface Guard {
  readonly lookup: LookupFunction
  readonly allow: (url: URL) => void
}

/**
 * Only the host that its operator wrote down may be private, and only if it was the operator: any other host that a
 * server redirects to must be public, by its address and by what its name resolves to.
 */
export function guardFor(url: URL, isTrusted: boolean): Guard {
  const isOwn = (host: string): boolean => isTrusted && host === url.hostname
  // Another port of a host is another program. https at the usual port of a host that was reached by http is the same one.
  const isSame = (target: URL): boolean =>
    target.origin === url.origin ||
    (target.protocol === 'https:' && url.protocol === 'http:' && target.port === url.port)
  return {
    lookup: (hostname, options, callback) =>
      isOwn(hostname) ? lookUp(hostname, options, callback) : publicLookup(hostname, options, callback),
    allow: target => {
      checkScheme(target)
      if (!isOwn(target.hostname) || !isSame(target)) checkUrl(target)
    },
  }
}

/**
 * The guard for what belongs to a server: its metadata, and the authorization server that it names. These are other
 * hosts by design, so they may be private where the server itself is, and its operator wrote it down.
 */
export async function guardForRelated(url: URL, isTrusted: boolean): Promise<Guard> {
  if (!isTrusted || !(await leadsToPrivate(url.hostname))) return guardFor(url, isTrusted)
  return { lookup: lookUp, allow: checkScheme }
}

/** Is any address of that host private? A host that cannot be resolved is not. */
async function leadsToPrivate(host: string): Promise<boolean> {
  if (isPrivateHost(host)) return true
  const addresses = await resolve(host, { all: true }).catch(() => [])
  return addresses.some(({ address }) => isPrivate(address))
}

function checkScheme({ protocol }: URL): void {
  if (!/^https?:$/.test(protocol)) throw new Error(`${protocol} is not the address of a server`)
}

const refusal = (host: string, address: string): Error =>
  Object.assign(
    new Error(
      `${host} leads to the private address ${address}. If that is intended, put the server into your own file (--servers).`,
    ),
    { code: 'EPRIVATE' },
  )
