export { memoryStore } from '../stores/memory.ts'
export type { MemoryStore, MemoryStoreOptions } from '../stores/memory.ts'
export { NoRoom, onceMemory } from '../stores/once-memory.ts'
export type { OnceMemory, OnceMemoryOptions } from '../stores/once-memory.ts'
export type {
  Buckets,
  Channels,
  Logs,
  Presence,
  Store,
  StoredEvent,
  Taken,
  TokenBucket,
  Values,
} from '../stores/store.ts'
