import { isIP } from 'node:net'
import { hostname } from 'node:os'
import type { Exchange } from './exchange.ts'
import { Refusal } from './exchange.ts'

/** From where a server may be used. */
export interface GuardOptions {
  /** The address it listens on. */
  readonly host: string
  /** Names that requests may use in addition to those of this machine, such as that of a proxy. */
  readonly allowedHosts?: readonly string[]
  /** Origins of web pages that may use it, in addition to those of this machine if it listens only there. */
  readonly allowedOrigins?: readonly string[]
  /** Pages that this server itself serves may use it, under whatever name; only for servers that require a token. */
  readonly allowOwnPages?: boolean
  /** Does every client need a token? A page that reaches the server under a name of its own has none. */
  readonly needsToken?: boolean
}

/** Says whether a request comes from where it may, before anything of it is parsed. */
export interface Guard {
  /** Refuses a request from elsewhere; gives the CORS headers its answer needs. */
  check(request: Pick<Exchange, 'header'>): Readonly<Record<string, string>> | undefined
}

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]', '::1'])
// No user and no path, which a parser of URLs would take away.
const AUTHORITY = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i
const METHODS = 'GET, POST, DELETE, OPTIONS'
const ALLOWED_HEADERS = [
  'Accept',
  'Authorization',
  'Content-Type',
  'DPoP',
  'Last-Event-ID',
  'Mcp-Method',
  'Mcp-Name',
  'MCP-Protocol-Version',
  'Mcp-Session-Id',
].join(', ')
const EXPOSED = 'DPoP-Nonce, Mcp-Session-Id, MCP-Protocol-Version, WWW-Authenticate'

/** The CORS headers of what anyone may read. */
export const ANY_ORIGIN: Readonly<Record<string, string>> = { 'Access-Control-Allow-Origin': '*' }

/** Is the address one that only this machine can reach? */
export const isLoopback = (host: string): boolean => LOOPBACK.has(host) || /^127\.\d+\.\d+\.\d+$/.test(host)

/** A guard against web pages that try to reach a server on this machine, and pages that are not allowed. */
export function createGuard({
  host,
  allowedHosts = [],
  allowedOrigins = [],
  allowOwnPages = false,
  needsToken = false,
}: GuardOptions): Guard {
  const local = isLoopback(host)
  const checksHost = local || !needsToken
  const names = new Set([host, ...(local ? [] : [hostname()]), ...allowedHosts].map(name => name.toLowerCase()))
  const allowed = new Set(allowedOrigins)
  const isAllowed = (origin: string): boolean =>
    allowed.has('*') || allowed.has(origin) || (local && isLoopback(hostOf(origin)))
  // Nearly every request names the same host, so the last one that was right is not parsed again.
  let right: string | undefined
  const isRight = (named: string): boolean => {
    if (named === right) return true
    const name = AUTHORITY.test(named) ? hostOf(`http://${named}`) : ''
    // A page can have a name lead to this machine, but it cannot have an address for its name.
    return isLoopback(name) || names.has(name) || (!local && isIP(name.replace(/^\[|\]$/g, '')) > 0)
  }
  return {
    check(request) {
      const named = request.header('host')
      if (checksHost && named !== undefined && !isRight(named)) {
        const why = `Forbidden: this server does not answer to the host '${named.slice(0, 100)}'`
        throw new Refusal(403, `${why}. Its operator can allow that name with --allow-host (allowedHosts).`)
      }
      right = named
      const origin = request.header('origin')
      if (origin === undefined) return undefined
      const isOwn = allowOwnPages && named !== undefined && authorityOf(origin) === named.toLowerCase()
      if (!isOwn && !isAllowed(origin))
        throw new Refusal(403, `Forbidden: the origin '${origin.slice(0, 100)}' is not allowed`)
      return { 'Access-Control-Allow-Origin': origin, 'Access-Control-Expose-Headers': EXPOSED, Vary: 'Origin' }
    },
  }
}

/** What a browser asks before it sends the real request. */
export function preflight(asked: string | undefined): Readonly<Record<string, string>> {
  // Names of mirrored arguments are not known beforehand.
  const params = (asked ?? '')
    .split(',')
    .map(name => name.trim())
    .filter(name => /^mcp-param-[\w-]+$/i.test(name))
  return {
    'Access-Control-Allow-Methods': METHODS,
    'Access-Control-Allow-Headers': [ALLOWED_HEADERS, ...params].join(', '),
    'Access-Control-Max-Age': '600',
  }
}

const authorityOf = (origin: string): string | undefined => /^https?:\/\/([^/]+)$/i.exec(origin)?.[1]?.toLowerCase()

function hostOf(url: string): string {
  try {
    return new URL(url).hostname
  } catch {
    return ''
  }
}

/** Does an Accept header let that type through? None at all lets everything through. */
export function accepts(accept: string | undefined, type: string): boolean {
  if (accept === undefined || accept === '') return true
  const [family] = type.split('/')
  const ranges = accept.split(',').map(range => {
    const [name = '', ...params] = range.split(';').map(part => part.trim().toLowerCase())
    return { name, refused: params.some(param => /^q=0(\.0*)?$/.test(param)) }
  })
  const named = (name: string): (typeof ranges)[number] | undefined => ranges.find(range => range.name === name)
  // The most specific range decides.
  const range = named(type) ?? named(`${family}/*`) ?? named('*/*')
  return range?.refused === false
}

// What nearly every client accepts.
const USUAL = 'application/json, text/event-stream'

/** Does an Accept header let both kinds of answer through, JSON and events? */
export const acceptsBoth = (accept: string | undefined): boolean =>
  accept === USUAL || (accepts(accept, 'application/json') && accepts(accept, 'text/event-stream'))

/** Is the body said to be JSON? */
export const isJson = (contentType: string | undefined): boolean =>
  contentType === 'application/json' || contentType?.split(';', 1)[0]?.trim().toLowerCase() === 'application/json'
