import type { Awaitable } from '../call.ts'
import { cut } from '../jsonrpc/message.ts'
import { VIEW_TYPE } from '../protocol/apps.ts'
import { didYouMean, orOf } from '../schema/nearest.ts'
import { resource } from './define.ts'
import type { AppView, ResourceSpec } from './define.ts'

/** Origins that a view may use, beyond itself; without them it uses no network at all. */
export interface ViewCsp {
  /** For requests: `https://api.example.com`, `wss://…`. */
  readonly connectDomains?: readonly string[]
  /** For scripts, styles, fonts, pictures and media. */
  readonly resourceDomains?: readonly string[]
  /** For frames in it. */
  readonly frameDomains?: readonly string[]
  /** For its base URI. */
  readonly baseUriDomains?: readonly string[]
}

/** What of the browser a view asks for. */
export type ViewPermission = 'camera' | 'microphone' | 'geolocation' | 'clipboardWrite'

/** What hosts can learn of a view without reading it. */
export interface ViewSpec extends Omit<ResourceSpec, 'mimeType' | 'size'> {
  /** Begins with `ui://`. */
  readonly uri: string
  readonly csp?: ViewCsp
  readonly permissions?: readonly ViewPermission[]
  /** An origin of its own, in the form that the host documents. */
  readonly domain?: string
  /** Should the host draw a border around it? */
  readonly prefersBorder?: boolean
}

const CSP = ['connectDomains', 'resourceDomains', 'frameDomains', 'baseUriDomains']
const PERMISSIONS = ['camera', 'microphone', 'geolocation', 'clipboardWrite']
// An origin as a policy spells it. Anything else could end its directive and begin another one.
const ORIGIN = /^(?:https?|wss?):\/\/(?:\*\.)?[a-z\d](?:[a-z\d.-]*[a-z\d])?(?::(?:\d{1,5}|\*))?$/i

/** Define a view: what hosts are told of it, and its page, which is one HTML document. */
export function view(spec: ViewSpec, html: string | (() => Awaitable<string>)): AppView {
  const { csp, permissions, domain, prefersBorder, _meta, ...rest } = spec
  const { name, uri } = rest
  if (typeof html !== 'string' && typeof html !== 'function')
    throw new TypeError(`view() '${name}' needs its HTML as a second argument, or a function that returns it`)
  const ui = {
    ...(csp && { csp: checkedCsp(name, csp) }),
    ...(permissions && { permissions: spelled(name, permissions) }),
    ...(domain !== undefined && { domain }),
    ...(prefersBorder !== undefined && { prefersBorder }),
  }
  const meta = { ..._meta, ...(Object.keys(ui).length > 0 && { ui }) }
  const about = Object.keys(meta).length > 0 ? { _meta: meta } : {}
  const made = resource({ ...rest, mimeType: VIEW_TYPE, ...about }, async () => ({
    uri,
    mimeType: VIEW_TYPE,
    text: typeof html === 'string' ? html : await html(),
    ...about,
  }))
  if (typeof uri !== 'string' || !/^ui:\/\/[^/]/.test(uri))
    throw new TypeError(`view() '${name}': 'uri' must begin with ui://, unlike '${cut(uri, 100)}'`)
  return { ...made, forApps: true }
}

function checkedCsp(name: string, csp: ViewCsp): ViewCsp {
  for (const [key, origins] of Object.entries(csp) as [string, unknown][]) {
    const where = `view() '${name}', csp`
    if (!CSP.includes(key)) throw new TypeError(`${where}: there is no '${cut(key, 100)}'. ${hint(key, CSP)}`)
    const list: unknown[] = Array.isArray(origins) ? origins : [origins]
    const wrong = list.find(origin => typeof origin !== 'string' || !ORIGIN.test(origin))
    if (wrong !== undefined || !Array.isArray(origins))
      throw new TypeError(
        `${where}: '${key}' takes a list of origins such as https://api.example.com, unlike '${cut(String(wrong), 100)}'`,
      )
  }
  return csp
}

function spelled(name: string, permissions: readonly string[]): Readonly<Record<string, object>> {
  const wrong = permissions.find(one => !PERMISSIONS.includes(one))
  if (wrong === undefined) return Object.fromEntries(permissions.map(one => [one, {}]))
  throw new TypeError(`view() '${name}': there is no permission '${cut(wrong, 100)}'. ${hint(wrong, PERMISSIONS)}`)
}

const hint = (key: string, known: readonly string[]): string => didYouMean(key, known) ?? `There is ${orOf(known)}.`
