import type { Info } from '@causeway/engine'
import { isObject } from '@causeway/engine/internal'
import { isViewUri, viewUri } from './view-uris.ts'

// As it was written before it had a member of its own.
const EARLIER = 'ui/resourceUri'

/** A definition as clients see it that show views, and as others do; null is nothing at all. */
export interface AppDefinition {
  readonly info: Info
  readonly withoutApps?: Info | null
}

/** A tool: its view under the URI that it has here. Clients that show no views see nothing of views. */
export function appTool(info: Info, server: string): AppDefinition {
  const { _meta: meta } = info
  if (!isObject(meta) || (!isObject(meta.ui) && meta[EARLIER] === undefined)) return { info }
  const { ui, [EARLIER]: earlier, ...rest } = meta
  const { _meta: _, ...bare } = info
  const plain = Object.keys(rest).length > 0 ? { ...bare, _meta: rest } : bare
  const here = (uri: unknown): unknown => (typeof uri === 'string' && isViewUri(uri) ? viewUri(server, uri) : uri)
  const own = isObject(ui) ? ui : {}
  const shown = {
    ...rest,
    ...(isObject(ui) && { ui: 'resourceUri' in ui ? { ...ui, resourceUri: here(ui.resourceUri) } : ui }),
    ...(earlier !== undefined && { [EARLIER]: here(earlier) }),
  }
  const isForApps = Array.isArray(own.visibility) && !own.visibility.includes('model')
  return { info: { ...bare, _meta: shown }, withoutApps: isForApps ? null : plain }
}

/** May a view call the tool? */
export function isForViews({ _meta: meta }: Info): boolean {
  const visibility = isObject(meta) && isObject(meta.ui) ? meta.ui.visibility : undefined
  return !Array.isArray(visibility) || visibility.includes('app')
}
