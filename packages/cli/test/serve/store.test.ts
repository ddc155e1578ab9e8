import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { Stateful, ask } from '../../../engine/test/support/http-client.ts'
import { exchange } from '../../../engine/test/support/http-exchange.ts'
import { RedisServer, freePort } from '../../../../test/support/redis-server.ts'
import { Spawned, run } from '../../../../test/support/spawned.ts'
import { runHere } from '../support/here.ts'
import { needs } from '../../../../test/support/needs.ts'

const PASSWORD = 'hard/to:guess'
const ENCODED = encodeURIComponent(PASSWORD)

/** A server on a free port, and what it says before it listens. */
async function served(env: Record<string, string>, ...flags: string[]): Promise<{ url: string; spawned: Spawned }> {
  const spawned = new Spawned(['serve', '--http', '--port', '0', '--pack', 'basics', ...flags], { env })
  onTestFinished(async () => {
    spawned.process.kill('SIGTERM')
    await spawned.ended
  })
  const url = await spawned.until(() => /listening on (\S+)/.exec(spawned.lines.join('\n'))?.[1])
  return { url, spawned }
}

describe('--store', () => {
  test.each([
    ['http://:geheim@localhost', 'must be a URL such as redis://'],
    ['redis://:geheim@localhost/zero', 'must be a URL such as redis://'],
    ['redis://:geheim@localhost/0?family=6', 'must be a URL such as redis://'],
    ['geheim', 'must be a URL such as redis://'],
  ])('%s is refused without repeating it', async (url, problem) => {
    const { code, stderr } = await runHere(['store', 'stats', '--store', url])
    expect(code).toBe(2)
    expect(stderr).toContain(problem)
    expect(stderr).not.toContain('geheim')
  })

  test('the command names what it needs', async () => {
    expect(await runHere(['store'])).toMatchObject({ code: 2, stderr: expect.stringContaining('--store redis://') })
    expect(await runHere(['store', 'stat', '--store', 'redis://localhost'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("Did you mean 'stats'?"),
    })
    const wrong = await runHere(['store', '--store', 'redis://localhost', '--store-prefix', 'two words'])
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('--store-prefix must be') })
  })
})

describe('with a Redis that wants a password', needs('redis-server'), () => {
  let redis: RedisServer
  let url: string
  beforeAll(async () => {
    redis = await RedisServer.start(['--requirepass', PASSWORD])
    url = `redis://default:${ENCODED}@127.0.0.1:${redis.port}/3`
  })
  afterAll(() => redis.stop())

  test('two processes share sessions; stats counts them, clear deletes them, and nobody prints the password', async () => {
    const one = await served({ CAUSEWAY_STORE: url }, '--store-prefix', 'a:', '--log-level', 'debug')
    const two = await served({}, '--store', url, '--store-prefix', 'a:')
    const session = await Stateful.open(one.url)
    expect(await new Stateful(two.url, session.session, {}).post(ask(1, 'ping'))).toMatchObject({ status: 200 })
    const ready = await exchange(two.url, { method: 'GET', path: '/health/ready' })
    expect(JSON.parse(ready.text)).toEqual({ status: 'ok', store: 'reachable' })
    const stats = await run(['store', 'stats', '--json', '--store', url, '--store-prefix', 'a:'])
    expect(JSON.parse(stats.stdout)).toMatchObject({ process: 2, session: 1, seal: 2 })
    const other = await run(['store', 'stats', '--json', '--store', url])
    expect(JSON.parse(other.stdout)).toEqual({ process: 0 })
    const cleared = await run(['store', 'clear', '--store', url, '--store-prefix', 'a:'])
    expect(cleared).toMatchObject({ code: 0, stderr: expect.stringContaining('2 processes run') })
    expect(cleared.stdout).toMatch(/^Deleted \d+ keys\./)
    // Both noticed that their signs of life are gone, and wrote back what they know.
    const count = async (): Promise<unknown> =>
      JSON.parse((await run(['store', 'stats', '--json', '--store', url, '--store-prefix', 'a:'])).stdout)
    await expect.poll(count).toMatchObject({ process: 2, session: 1 })
    const said = [one, two].map(({ spawned }) => spawned.stderr + spawned.lines.join('\n')).join('\n')
    for (const text of [said, stats.stderr, cleared.stderr]) {
      expect(text).not.toContain(PASSWORD)
      expect(text).not.toContain(ENCODED)
    }
  })

  test('a wrong password and a database that is not there end the start with 4', async () => {
    const wrong = await run(['serve', '--http', '--port', '0', '--store', `redis://:wrong@127.0.0.1:${redis.port}`])
    expect(wrong).toMatchObject({ code: 4, stderr: expect.stringContaining('refused the connection: WRONGPASS') })
    const none = await run(['serve', '--http', '--port', '0', '--store', url.replace(/3$/, '99')])
    expect(none).toMatchObject({ code: 4, stderr: expect.stringContaining('DB index is out of range') })
  })

  test('a store that is away is waited for', async () => {
    const port = await freePort()
    const { url: at, spawned } = await served({}, '--store', `redis://127.0.0.1:${port}`)
    expect(spawned.stderr).toContain('the store cannot be reached yet')
    const ready = await exchange(at, { method: 'GET', path: '/health/ready' })
    expect([ready.status, JSON.parse(ready.text)]).toEqual([200, { status: 'degraded', store: 'unreachable' }])
    const late = new RedisServer(port, [])
    onTestFinished(() => late.stop())
    await late.start()
    const health = async (): Promise<string> => (await exchange(at, { method: 'GET', path: '/health/ready' })).text
    await expect.poll(health).toContain('"ok"')
  })
})
