import type { Tool } from '../define/define.ts'
import { cut } from '../jsonrpc/message.ts'
import { APPS } from '../protocol/apps.ts'
import type { Extension } from './extensions.ts'

const AUDIENCE: readonly unknown[] = ['model', 'app']

/** What hosts that show views are told of a tool. */
export interface AppsMeta {
  readonly resourceUri?: string
  readonly visibility?: readonly ('model' | 'app')[]
}

/** MCP Apps: it has no methods of its own, and clients that do not declare it see nothing of it. */
export const appsExtension = (offered: () => boolean): Extension => ({ id: APPS, quiet: true, offered })

/** What a tool says of its view and of who calls it; undefined if it says nothing, an error if it is malformed. */
export function appsMeta({ name, view, visibility }: Tool): AppsMeta | undefined {
  if (view === undefined && visibility === undefined) return undefined
  const resourceUri = typeof view === 'object' ? view.uri : view
  if (resourceUri !== undefined && !/^ui:\/\/[^/]/.test(resourceUri))
    throw new TypeError(
      `Tool '${name}': 'view' takes what view() made, or a URI that begins with ui://, unlike '${cut(resourceUri, 100)}'`,
    )
  if (visibility !== undefined && !isAudience(visibility))
    throw new TypeError(`Tool '${name}': 'visibility' must be a list of 'model', 'app' or both`)
  return { ...(resourceUri !== undefined && { resourceUri }), ...(visibility && { visibility }) }
}

const isAudience = (value: unknown): boolean =>
  Array.isArray(value) && value.length > 0 && value.every(one => AUDIENCE.includes(one))
