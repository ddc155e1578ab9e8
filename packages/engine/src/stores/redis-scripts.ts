import type { Redis, Result } from 'ioredis'

// Each of these reads and writes in one step, so that two processes cannot come between each other.

/** Keep a value unless there is one; the one that is kept now. */
const ONCE = `
local kept = redis.call('GET', KEYS[1])
if kept then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  return kept
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return ARGV[1]
`

/** ARGV: is a value expected, the expected one, the new one, its time. */
const REPLACE = `
local kept = redis.call('GET', KEYS[1])
if ARGV[1] == '0' then
  if kept then return 0 end
elseif kept ~= ARGV[2] then
  return 0
end
redis.call('SET', KEYS[1], ARGV[3], 'PX', ARGV[4])
return 1
`

/**
 * Add an event under the time in microseconds, or one more than the last, so that numbers grow also after the log was
 * lost or the clock was set back. ARGV: text, time to keep it, most events.
 */
const ANNOUNCE = `
local time = redis.call('TIME')
local number = time[1] * 1000000 + time[2]
local last = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
if last then
  local taken = tonumber(string.match(last[1], '^%d+'))
  if taken >= number then number = taken + 1 end
end
local id = string.format('%.0f', number)
redis.call('XADD', KEYS[1], 'MAXLEN', '~', ARGV[3], id .. '-1', 't', ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
redis.call('PUBLISH', KEYS[1], id .. ' ' .. ARGV[1])
return id
`

/**
 * A token bucket by the clock of Redis: { tokens granted, milliseconds until there is one }. A clock that was set back
 * takes nothing away. ARGV: burst, tokens per second, tokens wanted.
 */
const TAKE = `
local burst, rate, wanted = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local kept = redis.call('HMGET', KEYS[1], 'n', 't')
local tokens = burst
if kept[1] then
  local passed = math.max(0, now - tonumber(kept[2]))
  tokens = math.min(burst, tonumber(kept[1]) + passed * rate / 1000)
end
local granted = math.min(wanted, math.floor(tokens))
tokens = tokens - granted
redis.call('HSET', KEYS[1], 'n', string.format('%.6f', tokens), 't', string.format('%.0f', now))
redis.call('PEXPIRE', KEYS[1], math.ceil(burst / rate * 1000) + 1000)
local retry = 0
if granted < 1 then retry = math.ceil((1 - tokens) / rate * 1000) end
return { granted, retry }
`

declare module 'ioredis' {
  interface RedisCommander<Context> {
    keepOnce(key: string, value: string, ttlMs: number): Result<string, Context>
    replaceValue(
      key: string,
      isExpected: '0' | '1',
      expected: string,
      value: string,
      ttlMs: number,
    ): Result<number, Context>
    announceEvent(log: string, text: string, ttlMs: number, most: number): Result<string, Context>
    takeTokens(key: string, burst: number, perSecond: number, wanted: number): Result<[number, number], Context>
  }
}

/** Teach a client the scripts; each is sent once and then named by its hash. */
export function defineScripts(redis: Redis): void {
  redis.defineCommand('keepOnce', { numberOfKeys: 1, lua: ONCE })
  redis.defineCommand('replaceValue', { numberOfKeys: 1, lua: REPLACE })
  redis.defineCommand('announceEvent', { numberOfKeys: 1, lua: ANNOUNCE })
  redis.defineCommand('takeTokens', { numberOfKeys: 1, lua: TAKE })
}
