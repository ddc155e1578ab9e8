const SCHEME = /^ui:\/\//i
const OURS = /^ui:\/\/upstream\/([^/]+)\/(.+)$/i

/** Is it the URI of a view, which nothing but the tools of its server refers to? */
export const isViewUri = (uri: string): boolean => SCHEME.test(uri)

/** The URI under which a view of a server is offered: servers may have the same URIs, so here it names its server. */
export const viewUri = (server: string, uri: string): string =>
  `ui://upstream/${encodeURIComponent(server)}/${uri.replace(SCHEME, '')}`

/** The server that such a URI names. */
export function viewServer(uri: string): string | undefined {
  const [, server] = OURS.exec(uri) ?? []
  try {
    return server === undefined ? undefined : decodeURIComponent(server)
  } catch {
    return undefined
  }
}

/** The URI that the server itself has for a view; any other URI as it is. */
export function originalUri(uri: string, server: string): string {
  return viewServer(uri) === server ? `ui://${OURS.exec(uri)?.[2] ?? ''}` : uri
}
