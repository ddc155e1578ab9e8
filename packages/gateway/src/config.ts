export { expand as expandVariables } from './config/variables.ts'
export { neutralEntry, serverGroups } from './config/client-entry.ts'
export type { ServerGroup } from './config/client-entry.ts'
export { NO_SERVERS, readServers, withDistinctPrefixes } from './config/read-servers.ts'
export type { Servers, Surroundings, UnusableEntry } from './config/read-servers.ts'
export { parseVirtual, readVirtual, viewOf } from './config/read-virtual.ts'
export type { Selection, VirtualServers } from './config/read-virtual.ts'
export type {
  RemoteTarget,
  StdioTarget,
  UpstreamAuth,
  UpstreamConfig,
  UpstreamLimits,
} from './config/upstream-config.ts'
