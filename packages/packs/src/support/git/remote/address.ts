import { fitsPattern } from '@causeway/engine/internal'

/** How git reaches another repository. */
export type Protocol = 'https' | 'http' | 'ssh' | 'file'

/** The address of another repository in its parts, as git itself takes it apart. */
export interface RemoteAddress {
  readonly protocol: Protocol
  readonly user: string | undefined
  /** With the port, if there is one. Empty for a path. */
  readonly host: string
  readonly path: string
  /** Written as `user@host:path`. */
  readonly isScp: boolean
}

const HOST = String.raw`(?:[A-Za-z\d](?:[\w.-]*[A-Za-z\d])?|\[[\da-fA-F:.]+\])`
const USER = String.raw`(?:([A-Za-z\d_][\w.+-]*)@)?`
const SSH = new RegExp(String.raw`^ssh://${USER}(${HOST}(?::\d{1,5})?)(/[^\s\\@]*)$`)
// Git takes all up to the first colon for user and host, so no further colon or user may stand behind it.
const SCP = new RegExp(String.raw`^${USER}(${HOST}):((?!//|-)[^\s:\\@][^\s:\\@]*)$`)
// A question mark or hash before the path would end the name of the host for one reader and not for another.
const HTTP = /^https?:\/\/[^\s\\?#]+$/i

/** An address in its parts; undefined if it is none that is used here. */
export function parseAddress(url: string): RemoteAddress | undefined {
  // eslint-disable-next-line no-control-regex
  if (url === '' || url.startsWith('-') || /[\u0000-\u001F\u007F]/.test(url)) return undefined
  if (HTTP.test(url)) return webAddress(url)
  const ssh = SSH.exec(url)
  if (ssh) return sshAddress(ssh, false)
  if (url.startsWith('file:///')) return pathAddress(url)
  // Whatever else has a colon before its first slash is a transport, a helper (`ext::…`), or another machine.
  if (!/^[^/]*:/.test(url)) return pathAddress(url)
  const scp = SCP.exec(url)
  return scp ? sshAddress(scp, true) : undefined
}

function webAddress(url: string): RemoteAddress | undefined {
  if (!URL.canParse(url)) return undefined
  const { protocol, username, host, pathname } = new URL(url)
  const kind = protocol === 'https:' ? 'https' : 'http'
  return { protocol: kind, user: username || undefined, host, path: pathname, isScp: false }
}

const sshAddress = ([, user, host = '', path = '']: RegExpExecArray, isScp: boolean): RemoteAddress => ({
  protocol: 'ssh',
  user,
  host,
  path,
  isScp,
})

const pathAddress = (path: string): RemoteAddress => ({
  protocol: 'file',
  user: undefined,
  host: '',
  path,
  isScp: false,
})

/** The address without a password; on the web a name alone may be a token, so none is shown there. */
export function showAddress({ protocol, user, host, path, isScp }: RemoteAddress): string {
  if (protocol === 'file') return path
  const named = user === undefined || protocol !== 'ssh' ? host : `${user}@${host}`
  return isScp ? `${named}:${path}` : `${protocol}://${named}${path}`
}

/** Does a pattern of the operator fit, part by part? A part that the pattern leaves out may be anything. */
export function fitsAddress(pattern: string, address: RemoteAddress): boolean {
  if (pattern === '*') return true
  const { protocol, user, host, path } = partsOf(pattern)
  if (address.protocol === 'file' || protocol === 'file') return protocol === 'file' && fits(path, address.path)
  return (
    fits(protocol, address.protocol) &&
    fits(host, address.host) &&
    (user === undefined || fits(user, address.user ?? '')) &&
    fits(path.replace(/^\//, ''), address.path.replace(/^\//, ''))
  )
}

const fits = (pattern: string, text: string): boolean => fitsPattern(text, pattern)

interface PatternParts {
  readonly protocol: string
  readonly user: string | undefined
  readonly host: string
  readonly path: string
}

function partsOf(pattern: string): PatternParts {
  if (/^(?:[./~]|file:)/.test(pattern)) return { protocol: 'file', user: undefined, host: '', path: pattern }
  const url = /^([a-z*]+):\/\/(?:([^/@]*)@)?([^/]*)(\/.*)?$/i.exec(pattern)
  if (url) return { protocol: url[1] ?? '*', user: url[2], host: url[3] ?? '', path: url[4] ?? '*' }
  const scp = /^(?:([^@:/]*)@)?([^:/]*):(.*)$/.exec(pattern)
  if (scp) return { protocol: 'ssh', user: scp[1], host: scp[2] ?? '', path: scp[3] ?? '' }
  const [host = '', ...path] = pattern.split('/')
  return { protocol: '*', user: undefined, host, path: path.length === 0 ? '*' : path.join('/') }
}
