/** The protocol's own names inside `_meta`. */
export const META = {
  protocolVersion: 'io.modelcontextprotocol/protocolVersion',
  clientCapabilities: 'io.modelcontextprotocol/clientCapabilities',
  clientInfo: 'io.modelcontextprotocol/clientInfo',
  logLevel: 'io.modelcontextprotocol/logLevel',
  serverInfo: 'io.modelcontextprotocol/serverInfo',
  subscriptionId: 'io.modelcontextprotocol/subscriptionId',
} as const

/** Our own name inside `_meta` of `tools/list`: "all", or an array of tools and toolsets, in the place of the usual list. */
export const TOOLSET_META = 'dev.causeway/toolset'

/** Our own name inside `_meta` of a tool that does part of another one's work, such as for its view: who may not use that one may not use it either. */
export const FOR_META = 'dev.causeway/for'

/** Where a result that tells an error of the protocol, in a revision that has no code for it, says which one it is. */
export const ERROR_META = 'dev.causeway/error'
