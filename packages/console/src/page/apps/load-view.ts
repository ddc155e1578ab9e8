import { VIEW_TYPE, isObject } from '@causeway/engine/browser'
import { asRecord } from '../schema/schema.ts'
import { client, endpoint } from '../state/connection.ts'

/** A view as it was read, and what it wants. */
export interface LoadedView {
  readonly html: string
  /** The address of the shell that it is shown in. */
  readonly shell: string
  /** The origins that it wants to use. */
  readonly origins: readonly string[]
}

const MOST_CHARACTERS = 5_000_000
const PARAMETERS = {
  connectDomains: 'connect',
  resourceDomains: 'resource',
  frameDomains: 'frame',
  baseUriDomains: 'base',
} as const

/** Read a view from the server; what is no view, or too long for one, throws. */
export async function loadView(uri: string): Promise<LoadedView> {
  const remote = await client()
  const { contents } = await remote.request('resources/read', { uri })
  const found = Array.isArray(contents) ? contents.find(one => isObject(one) && one.mimeType === VIEW_TYPE) : undefined
  const { text, blob, _meta } = asRecord(found)
  const html = typeof text === 'string' ? text : typeof blob === 'string' ? decoded(blob) : undefined
  if (html === undefined) throw new Error(`The server has nothing at ${uri} that is a view`)
  if (html.length > MOST_CHARACTERS) throw new Error(`The view has more than ${MOST_CHARACTERS} characters`)
  const csp = asRecord(asRecord(asRecord(_meta).ui).csp)
  const query = new URLSearchParams()
  const origins = new Set<string>()
  for (const [member, parameter] of Object.entries(PARAMETERS)) {
    const list = Array.isArray(csp[member]) ? csp[member].filter(one => typeof one === 'string') : []
    if (list.length > 0) query.set(parameter, list.join(' '))
    for (const origin of list) origins.add(origin)
  }
  const asked = query.size > 0 ? `?${query}` : ''
  return { html, shell: endpoint(`console/view${asked}`), origins: [...origins] }
}

const decoded = (blob: string): string =>
  new TextDecoder().decode(Uint8Array.from(atob(blob), character => character.codePointAt(0) ?? 0))
