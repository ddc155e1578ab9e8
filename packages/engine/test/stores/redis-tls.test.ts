import { redisStore } from '@causeway/engine/redis'
import type { RedisStoreOptions } from '@causeway/engine/redis'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { TlsRedis, needsTlsRedis } from '../../../../test/support/tls-redis.ts'
import { Spawned, run } from '../../../../test/support/spawned.ts'

describe('rediss://', needsTlsRedis(), () => {
  let redis: TlsRedis
  beforeAll(async () => {
    redis = await TlsRedis.start()
  })
  afterAll(() => redis.stop())

  const open = async (url: string, tls?: RedisStoreOptions['tls']): Promise<string | undefined> => {
    const store = await redisStore(url, tls ? { tls } : {})
    onTestFinished(() => store.close())
    await store.set('a', 'kept', 10_000)
    return store.get('a')
  }

  test('with its CA as an option', async () => {
    expect(await open(redis.urlOf('localhost'), { ca: redis.text('ca.pem') })).toBe('kept')
  })

  test('what is published is heard', async () => {
    const store = await redisStore(redis.urlOf('localhost'), { tls: { ca: redis.text('ca.pem') } })
    onTestFinished(() => store.close())
    const heard: string[] = []
    await store.subscribe('news', message => void heard.push(message))
    expect(await store.publish('news', 'first')).toBe(1)
    await expect.poll(() => heard, { interval: 5 }).toEqual(['first'])
  })

  test('a certificate of a CA that is not known is refused, and what to do is said', async () => {
    await expect(open(redis.urlOf('localhost'))).rejects.toThrow(
      /^Redis at rediss:\/\/localhost:\d+\/0 has a certificate that is not trusted: .*NODE_EXTRA_CA_CERTS/,
    )
  })

  test('a certificate for another name is refused', async () => {
    await expect(open(redis.urlOf('127.0.0.1'), { ca: redis.text('ca.pem') })).rejects.toThrow(
      /has a certificate for another name: .*127\.0\.0\.1/,
    )
  })

  test('a client certificate is given where one is demanded, and asked for where it is not given', async () => {
    const plain = new Redis(redis.server.port)
    onTestFinished(() => plain.disconnect())
    await plain.config('SET', 'tls-auth-clients', 'yes')
    onTestFinished(async () => void (await plain.config('SET', 'tls-auth-clients', 'no')))
    const ca = redis.text('ca.pem')
    await expect(open(redis.urlOf('localhost'), { ca })).rejects.toThrow(/demands a client certificate/)
    const own = { ca, cert: redis.text('server.pem'), key: redis.text('server.key') }
    expect(await open(redis.urlOf('localhost'), own)).toBe('kept')
  })

  test('the command trusts a CA named by NODE_EXTRA_CA_CERTS, and ends with 4 where none is', async () => {
    const args = ['store', 'stats', '--json', '--store', redis.urlOf('localhost')]
    const trusting = new Spawned(args, { env: { NODE_EXTRA_CA_CERTS: redis.caFile } })
    await trusting.ended
    expect(JSON.parse(trusting.lines.join(''))).toMatchObject({ process: 0 })
    const strict = await run(args)
    expect(strict).toMatchObject({ code: 4, stderr: expect.stringContaining('certificate that is not trusted') })
  })
})
