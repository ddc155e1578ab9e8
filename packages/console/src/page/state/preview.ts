import { RemoteServer, versions } from '@causeway/engine/browser'
import type { Params, Request, RequestSink, ClientTransport } from '@causeway/engine/browser'

/** A value that only the server knows: a snippet reads it from a variable. What a server sends is never one. */
export interface Variable {
  readonly variable: 'SESSION'
}

/** One HTTP request that a call consists of. */
export interface PlannedRequest {
  readonly headers: Readonly<Record<string, string | Variable>>
  readonly body: unknown
}

/** What is to be called, and how. */
export interface Planned {
  readonly method: string
  readonly params: Params
  readonly version: string
  /** Its definition says which arguments headers repeat. */
  readonly tool?: { readonly definition: Params } | undefined
}

/** The requests that a call consists of in a revision, as the client would send them; nothing is sent. */
export async function plan({ method, params, version, tool }: Planned): Promise<readonly PlannedRequest[]> {
  const planned: PlannedRequest[] = []
  let protocolVersion: string | undefined
  let hasSession = false
  const record = (body: unknown, mirrors: Readonly<Record<string, string>> = {}): void => {
    const headers: Record<string, string | Variable> = {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      ...mirrors,
    }
    if (hasSession) headers['mcp-session-id'] = { variable: 'SESSION' }
    if (protocolVersion !== undefined) headers['mcp-protocol-version'] = protocolVersion
    planned.push({ headers, body })
  }
  const transport: ClientTransport = {
    bound: true,
    listener: { onMessage: () => {}, onClose: () => {} },
    open: async () => {},
    useVersion: named => (protocolVersion = named),
    request(request, sink, mirrors) {
      if (request.method !== 'server/discover' && request.method !== 'tools/list') record(request, mirrors)
      if (request.method === 'initialize') hasSession = true
      answer(request, sink, tool)
    },
    cancel: () => {},
    send: message => record(message),
    close: async () => {},
  }
  const client = { name: 'my-client', version: '1.0.0' }
  const pinned = version === '' ? (versions[0] ?? '') : version
  const remote = await RemoteServer.connect({ open: () => transport }, { client, version: pinned })
  if (tool) await remote.list('tools/list')
  remote.request(method, params).catch(() => {})
  await remote.close()
  return planned
}

/** What a server would say to the questions that come first. */
function answer({ id, method, params }: Request, sink: RequestSink, tool: Planned['tool']): void {
  const result = {
    initialize: {
      protocolVersion: params?.protocolVersion,
      capabilities: { tools: {}, prompts: {}, resources: {} },
      serverInfo: { name: 'server', version: '0' },
    },
    'server/discover': { supportedVersions: versions, capabilities: {} },
    'tools/list': { tools: tool ? [tool.definition] : [] },
  }[method]
  if (result) queueMicrotask(() => sink.onResponse({ jsonrpc: '2.0', id, result }))
}
