import { checkUrl } from '../outbound/ssrf-guard.ts'
import { isObject } from '../support/is-object.ts'
import { DocumentProblem } from './document.ts'
import type { Json } from './document.ts'

/** Where an API is, and whether its operator said so. */
export interface ServerAddress {
  readonly url: URL
  /** Named by the operator, or where the document itself came from: it may be in a private network. */
  readonly isTrusted: boolean
  /** What the document calls the address of its server, whatever its operator says. */
  readonly documented: string | undefined
}

/** What the operator says of where things are. */
export interface Whereabouts {
  /** The address of the API, in place of what the document says. */
  readonly base?: string | undefined
  /** Where the document came from. */
  readonly from?: string | undefined
}

const FLAG = 'name the address of the API with --openapi-base URL (option `base`)'

/** The address that all operations are sent to. */
export function serverAddress(document: Json, { base, from }: Whereabouts): ServerAddress {
  const named = Array.isArray(document.servers) ? textOf(document.servers[0]) : undefined
  if (base !== undefined) return { url: addressIn(base, undefined), isTrusted: true, documented: named }
  // Without any, it is where the document is.
  const url = addressIn(named ?? '/', from)
  const source = from === undefined ? undefined : new URL(from)
  if (source && source.origin !== url.origin)
    throw new DocumentProblem(
      `The document came from ${source.origin} and sends calls to another host, ${url.origin}. If that is intended, ${FLAG.replace('URL', url.href)}.`,
    )
  if (!source) refusePrivate(url)
  return { url, isTrusted: source !== undefined, documented: named }
}

function refusePrivate(url: URL): void {
  try {
    checkUrl(url)
  } catch (cause) {
    throw new DocumentProblem(
      `The document sends calls to the private address ${url.host}. If that is intended, ${FLAG.replace('URL', url.href)}.`,
      { cause },
    )
  }
}

/** The address of a server of one operation, if it is at the same host. */
export function ownAddress(server: unknown, { url: main, documented }: ServerAddress): URL {
  const named = textOf(server)
  // The operator may have named another address for all that the document calls its own.
  if (named === undefined || (documented !== undefined && hostOf(named) === hostOf(documented))) return main
  const url = addressIn(named, main.href)
  if (url.origin === main.origin) return url
  throw new DocumentProblem(`It is served by another host, ${url.host}`)
}

const hostOf = (address: string): string | undefined =>
  URL.canParse(address, 'https://localhost') ? new URL(address, 'https://localhost').host : undefined

/** The URL of a server object, its variables replaced by their defaults. */
function textOf(server: unknown): string | undefined {
  if (!isObject(server) || typeof server.url !== 'string') return undefined
  const { variables } = server
  return server.url.replaceAll(/\{([^{}]+)\}/g, (whole, name: string) => {
    const variable = isObject(variables) && Object.hasOwn(variables, name) ? variables[name] : undefined
    return isObject(variable) && typeof variable.default === 'string' ? variable.default : whole
  })
}

function addressIn(text: string, from: string | undefined): URL {
  const isWhole = URL.canParse(text) || (from !== undefined && URL.canParse(text, from))
  if (!isWhole)
    throw new DocumentProblem(
      `The document does not say where the API is (${JSON.stringify(text.slice(0, 200))} is not a whole URL): ${FLAG}.`,
    )
  const url = new URL(text, from)
  if (!/^https?:$/.test(url.protocol))
    throw new DocumentProblem(`The address of the API must begin with https:// or http://, got ${url.protocol}//`)
  if (url.username !== '' || url.password !== '')
    throw new DocumentProblem('The address of the API contains a password: use OPENAPI_BASIC (option `credentials`)')
  url.search = ''
  url.hash = ''
  return url
}
