import type { Caller } from '../call.ts'
import { isObject } from '../jsonrpc/message.ts'

/** The extension by which hosts show views beside the results of tools: MCP Apps. */
export const APPS = 'io.modelcontextprotocol/ui'

/** What a view is, to a host. */
export const VIEW_TYPE = 'text/html;profile=mcp-app'

/** The revision of the extension that hosts and views speak with each other. */
export const APPS_REVISION = '2026-01-26'

/** What a client declares that shows views. */
export const APPS_CAPABILITY: Readonly<Record<string, unknown>> = { [APPS]: { mimeTypes: [VIEW_TYPE] } }

/** Does the client show views, as it said in its handshake or with this request? */
export function showsViews({ capabilities }: Pick<Caller, 'capabilities'>): boolean {
  const { extensions } = capabilities
  if (!isObject(extensions) || !Object.hasOwn(extensions, APPS)) return false
  const settings = extensions[APPS]
  return isObject(settings) && Array.isArray(settings.mimeTypes) && settings.mimeTypes.includes(VIEW_TYPE)
}
