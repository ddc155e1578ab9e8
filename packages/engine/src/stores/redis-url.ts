/** Where a Redis is and who asks it, read from a URL. */
export interface RedisAddress {
  readonly host: string
  readonly port: number
  readonly db: number
  readonly username?: string
  readonly password?: string
  readonly tls: boolean
  /** The URL without user and password, to be shown. */
  readonly shown: string
}

const DEFAULT_PORT = 6379

/** Read `redis://user:password@host:port/database`, or `rediss://` for TLS. What is wrong is said without the password. */
export function readRedisUrl(text: string): RedisAddress {
  if (!URL.canParse(text)) throw new TypeError('is not a URL such as redis://localhost:6379/0')
  const url = new URL(text)
  if (url.protocol !== 'redis:' && url.protocol !== 'rediss:') {
    throw new TypeError(`must begin with redis:// or rediss://, not ${url.protocol.slice(0, 20)}//`)
  }
  if (url.hostname === '') throw new TypeError('names no host, such as redis://localhost:6379/0')
  const [, database] = /^\/?(\d{0,5})$/.exec(url.pathname) ?? []
  if (database === undefined)
    throw new TypeError(`must end with the number of a database, not '${url.pathname.slice(0, 50)}'`)
  if (url.search !== '' || url.hash !== '') throw new TypeError('may have no parameters after the database')
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  const port = url.port === '' ? DEFAULT_PORT : Number(url.port)
  const db = Number(database)
  return {
    host,
    port,
    db,
    ...(url.username !== '' && { username: decoded(url.username) }),
    ...(url.password !== '' && { password: decoded(url.password) }),
    tls: url.protocol === 'rediss:',
    shown: `${url.protocol}//${url.hostname}:${port}/${db}`,
  }
}

/** What is not percent-encoded as it should be is taken as it stands. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
