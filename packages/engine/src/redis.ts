export { RedisStore, redisStore } from './stores/redis.ts'
export type { RedisStoreOptions, StoreStats } from './stores/redis.ts'
export { readRedisUrl } from './stores/redis-url.ts'
export type { RedisAddress } from './stores/redis-url.ts'
