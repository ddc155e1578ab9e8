import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { Stateful, Stateless, ask, call } from '../../packages/engine/test/support/http-client.ts'
import { JSON_HEADERS, begin, exchange } from '../../packages/engine/test/support/http-exchange.ts'
import { run } from '../support/spawned.ts'
import { World, gone, isAlive, textOf, until } from './world.ts'

const started: World[] = []
async function start(...flags: readonly string[]): Promise<World> {
  const world = await World.start('--workers', '2', ...flags)
  started.push(world)
  return world
}
afterEach(async () => {
  for (const world of started.splice(0)) await world.end()
})

const crash = (session: Stateful): Promise<unknown> => session.call('crash').catch(() => 'cut off')
const pidOf = async (session: Stateful): Promise<number> => Number(textOf(await session.call('who')))

describe('a worker that ends', () => {
  test('is replaced; its sessions are 404 at once, those of others go on', async () => {
    const world = await start()
    const sessions = await Promise.all(Array.from({ length: 8 }, () => Stateful.open(world.url)))
    const pids = await Promise.all(sessions.map(pidOf))
    const [lost] = pids
    const mine = sessions.filter((_, i) => pids[i] === lost)
    const others = sessions.filter((_, i) => pids[i] !== lost)
    expect(others.length).toBeGreaterThan(0)
    const stream = await mine[0]?.listen()
    await crash(mine[0] as Stateful)
    await stream?.ended
    for (const session of mine) {
      // Twice, so that it is asked for in another worker too.
      for (let i = 0; i < 2; i++) expect((await session.post(ask(1, 'ping'))).status).toBe(404)
      expect((await session.listen()).status).toBe(404)
    }
    for (const session of others) expect((await session.post(ask(1, 'ping'))).status).toBe(200)
    const now = await world.workers(2)
    expect(now).not.toContain(lost)
    expect(world.served.stderr).toMatch(/"message":"a worker ended by itself; another takes its place".*"SIGKILL"/)
    const metrics = await exchange(world.url, { method: 'GET', path: '/metrics' })
    expect(metrics.text).toMatch(/^causeway_workers 2$/m)
    expect(metrics.text).toMatch(/^causeway_workers_replaced_total 1$/m)
  })

  test('all at once: the port stays, and who connects meanwhile is served by the next ones', async () => {
    const world = await start()
    const pids = await world.workers(2)
    for (const pid of pids) process.kill(pid, 'SIGKILL')
    expect(pids).not.toContain(await world.who())
    await world.workers(2)
  })

  test('SIGTERM for one alone: it finishes what it has, and is replaced', async () => {
    const world = await start()
    const session = await Stateful.open(world.url)
    const pid = await pidOf(session)
    const held = session.call('hold', { key: 'a' })
    await world.at('a')
    process.kill(pid, 'SIGTERM')
    await until(() => world.served.stderr.includes('waiting up to 30 s for 1 call (hold)'), 'nothing was said')
    world.open('a')
    expect(textOf(await held)).toBe(`held by ${pid}`)
    await gone(pid)
    expect(await world.workers(2)).not.toContain(pid)
  })

  test('at its start, over and over: it is given up with words', async () => {
    const world = await start()
    const pids = await world.workers(2)
    writeFileSync(join(world.tools, 'tools.mjs'), 'process.exit(7)')
    for (const pid of pids) process.kill(pid, 'SIGKILL')
    expect(await world.served.ended).toEqual({ code: 1, signal: null })
    expect(world.served.stderr).toMatch(/causeway: The workers end as soon as they start: .* exit code 7\./)
    expect(world.left).toEqual([])
  })
})

describe('what stands in the way of a start is said once', () => {
  const refused: readonly [string, string[], RegExp, number][] = [
    ['a port in use', [], /Port \d+ on 127\.0\.0\.1 is in use/, 2],
    ['a file of tokens that is not there', ['--token-file', '/no/such/file'], /--token-file \/no\/such\/file/, 4],
    ['other machines without tokens', ['--host', '0.0.0.0'], /require tokens with --token-file/, 2],
    ['servers', ['--servers', '/no/such/file'], /--servers cannot be used with --workers 2.*--workers 1/, 2],
    ['less than one call each', ['--max-inflight', '1'], /--max-inflight 1 cannot be divided among 2 workers/, 2],
    [
      'a number that is none',
      ['--workers', 'many'],
      /--workers must be a whole number from 1 to 128, or auto, got 'many'/,
      2,
    ],
  ]
  test.each(refused)('%s', async (name, flags, words, code) => {
    const taken = name === 'a port in use' ? await start() : undefined
    const port = taken ? ['--port', new URL(taken.url).port] : []
    const world = new World('--workers', '2', ...flags, ...port)
    started.push(world)
    expect(await world.served.ended).toEqual({ code, signal: null })
    expect(world.served.stderr).toMatch(words)
    expect(world.served.stderr.match(/^causeway:/gm)).toHaveLength(1)
    expect(world.served.lines).toEqual([])
    expect(world.left).toEqual([])
  })
})

test('on stdio there are no workers', async () => {
  const { code, stderr } = await run(['serve', '--stdio', '--workers', '2'])
  expect(code).toBe(2)
  expect(stderr).toBe('causeway: --workers needs --http: on stdio there is one client, and one process serves it.\n')
})

describe('the end', () => {
  test.each(['SIGTERM', 'SIGINT'] as const)('%s: calls finish, streams end, and nothing is left', async signal => {
    const world = await start()
    const pids = await world.workers(2)
    const sessions = await Promise.all(Array.from({ length: 4 }, () => Stateful.open(world.url)))
    const streams = await Promise.all(sessions.map(session => session.listen()))
    const held = sessions.map((session, i) => session.call('hold', { key: `k${i}` }))
    await Promise.all(sessions.map((_, i) => world.at(`k${i}`)))
    world.served.process.kill(signal)
    await until(() => world.served.stderr.includes('waiting up to 30 s'), 'nothing was said')
    for (let i = 0; i < 4; i++) world.open(`k${i}`)
    for (const answer of await Promise.all(held)) expect(textOf(answer)).toMatch(/^held by/)
    await Promise.all(streams.map(stream => stream.ended))
    expect(await world.served.ended).toEqual({ code: 0, signal: null })
    expect(pids.filter(isAlive)).toEqual([])
    expect(world.left).toEqual([])
    expect(world.served.stderr).not.toMatch(/"level":"(warn|error)"/)
  })

  test('a second signal ends everything at once', async () => {
    const world = await start()
    const pids = await world.workers(2)
    const session = await Stateful.open(world.url)
    const going = begin(world.url, { headers: session.headers(), body: call(1, 'hold', { key: 'never' }) })
    await world.at('never')
    world.served.process.kill('SIGTERM')
    await until(() => world.served.stderr.includes('waiting up to 30 s'), 'nothing was said')
    world.served.process.kill('SIGTERM')
    expect(await world.served.ended).toEqual({ code: 1, signal: null })
    await gone(...pids)
    expect(world.left).toEqual([])
    going.destroy()
  })

  test('kill -9 of the primary process leaves no worker, socket or folder, even if one is stuck', async () => {
    const world = await start()
    const pids = await world.workers(2)
    const stuck = begin(world.url, { path: '/rpc', headers: JSON_HEADERS, body: call(1, 'block') })
    await world.at('block')
    expect(world.left).toHaveLength(1)
    world.served.process.kill('SIGKILL')
    await gone(...pids)
    await until(() => world.left.length === 0, 'the folder is still there')
    expect(pids.filter(isAlive)).toEqual([])
    stuck.destroy()
  })
})

test('kill -9 of everything at once leaves nothing', async () => {
  const world = await start()
  const pids = await world.workers(2)
  for (const pid of [...pids, world.served.process.pid ?? 0]) process.kill(pid, 'SIGKILL')
  await gone(...pids)
  await until(() => world.left.length === 0, 'the folder is still there')
  expect(world.left).toEqual([])
})

describe('SIGHUP', () => {
  test('new workers first, the old ones finish: under load no call fails, and the configuration is read again', async () => {
    const world = await start()
    const old = await world.workers(2)
    const session = await Stateful.open(world.url)
    const held = session.call('hold', { key: 'long' })
    await world.at('long')
    const over = new AbortController()
    const failures: unknown[] = []
    let calls = 0
    const load = async (one: () => Promise<{ result?: unknown }>): Promise<void> => {
      while (!over.signal.aborted) {
        const answer = await one().catch((error: unknown) => ({ error }))
        calls += 1
        if (!('result' in answer)) failures.push(answer)
      }
    }
    const stateful = await Stateful.open(world.url)
    const loads = [
      load(() => stateful.call('who')),
      load(() => new Stateless(world.url).call('who')),
      load(() => new Stateless(world.url).call('who')),
    ]
    writeFileSync(join(world.tools, 'more.mjs'), `export const more = { kind: 'tool', name: 'more', run: () => 'yes' }`)
    world.served.process.kill('SIGHUP')
    await until(() => world.served.stderr.includes('"message":"reloaded"'), 'it was not reloaded')
    const after = await world.workers(2)
    expect(after.filter(pid => old.includes(pid))).toEqual([])
    expect(textOf(await new Stateless(world.url).call('more'))).toBe('yes')
    world.open('long')
    expect(old.map(pid => `held by ${pid}`)).toContain(textOf(await held))
    over.abort()
    await Promise.all(loads)
    expect(failures).toEqual([])
    expect(calls).toBeGreaterThan(20)
    // Nobody asks any more: the old ones leave.
    await gone(...old)
    expect(await world.workers(2)).toEqual(expect.arrayContaining(after))
    expect((await session.post(ask(1, 'ping'))).status).toBe(404)
  }, 60_000)

  test('and --watch: settings that change while serving are exchanged with the clients that there are', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'causeway-workers-config-')), 'causeway.yaml')
    writeFileSync(file, 'log-level: info\n')
    const world = await start('--config', file, '--watch')
    const before = await world.workers(2)
    const sessions = await Promise.all(Array.from({ length: 4 }, () => Stateful.open(world.url)))
    const names = async (session: Stateful): Promise<string> =>
      JSON.stringify((await session.post(ask(7, 'tools/list'))).text)
    for (const session of sessions) expect(await names(session)).toContain('greet')
    writeFileSync(file, 'log-level: info\nexclude-tools: [greet]\n')
    for (const session of sessions) await expect.poll(() => names(session)).not.toContain('greet')
    writeFileSync(file, 'log-level: info\nexclude-tools: [greet, hold]\n')
    world.served.process.kill('SIGHUP')
    for (const session of sessions) await expect.poll(() => names(session)).not.toContain('hold')
    writeFileSync(file, 'servers: { x: { command: x } }\n')
    await until(() => world.served.stderr.includes('not reloaded: --servers cannot be used with --workers'), 'no word')
    expect(new Set(await world.workers(2))).toEqual(new Set(before))
  }, 60_000)

  test('a configuration that cannot be used changes nothing', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'causeway-workers-config-')), 'causeway.yaml')
    writeFileSync(file, '{}')
    const world = await start('--config', file)
    const before = await world.workers(2)
    // Only workers look at what this says.
    writeFileSync(file, 'otlp: "ftp://nowhere"')
    world.served.process.kill('SIGHUP')
    await until(() => world.served.stderr.includes('the new workers could not start; the old ones go on'), 'no word')
    expect(new Set(await world.workers(2))).toEqual(new Set(before))
  })
})
