import { createServer, template, text, tool } from '@causeway/engine'
import { concurrency, rateLimit, resultLimit, timeout } from '@causeway/engine/policies'
import { connect } from '@causeway/engine/testing'
import type { Policy, Server } from '@causeway/engine'
import type { Client } from '@causeway/engine/testing'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { isLarger } from '../../src/policies/result-limit.ts'
import { ALL } from '../support/scenario.ts'

const serverWith = (...policies: Policy[]): Server => createServer({ name: 's', version: '1' }).use(...policies)
const error = (asked: Promise<unknown>): Promise<unknown> =>
  asked.then(
    () => undefined,
    ({ code, message, data }: { code: number; message: string; data: unknown }) => ({ code, message, data }),
  )

describe('rateLimit', () => {
  let clock = 0
  const limited = (methods?: readonly string[] | 'all'): Server =>
    serverWith(rateLimit({ burst: 3, perSecond: 2, now: () => clock, ...(methods && { methods }) })).add(
      tool({ name: 't' }, () => 'ok'),
    )
  const calls = (client: Client, count: number): Promise<unknown[]> =>
    Promise.all(Array.from({ length: count }, () => error(client.call('t'))))
  const refusal = (retryAfterMs: number): object => ({
    code: -32003,
    message: `Rate limit exceeded: burst 3, then 2 per second. Try again in ${retryAfterMs} ms.`,
    data: { retryAfterMs, hint: `Try again in ${retryAfterMs} ms.` },
  })

  test('a burst is served, then one call per token, and the refusal says when', async () => {
    clock = 0
    const client = connect(limited())
    expect(await calls(client, 5)).toEqual([undefined, undefined, undefined, refusal(500), refusal(500)])
    clock = 250
    expect(await calls(client, 1)).toEqual([refusal(250)])
    clock = 500
    expect(await calls(client, 2)).toEqual([undefined, refusal(500)])
    clock = 100_000
    expect(await calls(client, 4)).toEqual([undefined, undefined, undefined, refusal(500)])
  })

  test('clients are counted apart', async () => {
    clock = 0
    const by = rateLimit({ burst: 1, perSecond: 1, now: () => clock, by: call => String(call.meta.who) })
    const keyed = serverWith(by).add(tool({ name: 't' }, () => 'ok'))
    const ask = (who: string): Promise<unknown> =>
      error(connect(keyed).request('tools/call', { name: 't', _meta: { who } }))
    expect(await ask('ann')).toBeUndefined()
    expect(await ask('bob')).toBeUndefined()
    expect(await ask('ann')).toMatchObject({ code: -32003 })
  })

  test('only tool calls take a token, unless everything does', async () => {
    clock = 0
    const client = connect(limited())
    for (let i = 0; i < 5; i++) await client.request('tools/list')
    expect(await calls(client, 1)).toEqual([undefined])
    const everything = connect(limited('all'))
    for (let i = 0; i < 3; i++) await everything.request('tools/list')
    expect(await error(everything.request('tools/list'))).toMatchObject({ code: -32003 })
  })
})

describe('concurrency', () => {
  /** A server whose tool runs until it is let go, and a list of who runs. */
  function gated(policy: Policy): { client: Client; running: string[]; release: (name: string) => void } {
    const gates = new Map<string, () => void>()
    const running: string[] = []
    const server = serverWith(policy).add(
      tool(
        { name: 'hold', input: { type: 'object', properties: { as: { type: 'string' } }, required: ['as'] } },
        ({ as }) => {
          running.push(as)
          return new Promise<string>((resolve, reject) => {
            gates.set(as, () => (as.startsWith('bad') ? reject(new Error(as)) : resolve(as)))
          })
        },
      ),
      tool({ name: 'now' }, () => 'now'),
    )
    return { client: connect(server), running, release: name => gates.get(name)?.() }
  }
  const hold = (client: Client, as: string): Promise<unknown> =>
    client.call('hold', { as }).catch((e: Error) => e.message)
  const turn = (): Promise<void> => new Promise(resolve => void setImmediate(resolve))

  test('so many run, so many wait their turn in order, the rest is refused as busy', async () => {
    const { client, running, release } = gated(concurrency({ running: 2, waiting: 2 }))
    const held = ['a', 'bad b', 'c', 'd'].map(as => hold(client, as))
    await turn()
    expect(running).toEqual(['a', 'bad b'])
    expect(await error(client.call('hold', { as: 'e' }))).toEqual({
      code: -32004,
      message: 'Busy: 2 calls are running and 2 are waiting. Try again in 1000 ms.',
      data: { retryAfterMs: 1000, hint: 'Try again in 1000 ms.' },
    })
    release('bad b')
    await turn()
    expect(running).toEqual(['a', 'bad b', 'c'])
    held.push(hold(client, 'f'))
    await turn()
    expect(running, 'the place was handed over, not freed').toEqual(['a', 'bad b', 'c'])
    release('a')
    await turn()
    expect(running).toEqual(['a', 'bad b', 'c', 'd'])
    release('c')
    await turn()
    release('d')
    release('f')
    expect(await Promise.all(held)).toEqual(['a', 'bad b', 'c', 'd', 'f'])
    expect(await client.call('now')).toBe('now')
  })

  test('who is cancelled while waiting steps out of the line', async () => {
    const { client, running, release } = gated(concurrency({ running: 1, waiting: 2 }))
    const first = hold(client, 'a')
    await turn()
    const envelope = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    const ask = (id: string): Promise<string | undefined> =>
      client.raw(
        JSON.stringify({
          jsonrpc: '2.0',
          id,
          method: 'tools/call',
          params: { name: 'hold', arguments: { as: id }, _meta: envelope },
        }),
      )
    const waiting = [ask('b'), ask('c')]
    await client.notify('notifications/cancelled', { requestId: 'b' })
    expect(await waiting[0]).toBeUndefined()
    const last = hold(client, 'd')
    release('a')
    await turn()
    release('c')
    await turn()
    release('d')
    expect(await Promise.all([first, last])).toEqual(['a', 'd'])
    expect(await waiting[1]).toContain('"c"')
    expect(running).toEqual(['a', 'c', 'd'])
  })

  test('what is done at once leaves its place at once', async () => {
    const { client } = gated(concurrency({ running: 1, waiting: 0 }))
    expect(await Promise.all(Array.from({ length: 5 }, () => client.call('now')))).toEqual(Array(5).fill('now'))
  })

  test('the protocol’s own business does not queue', async () => {
    const { client, release } = gated(concurrency({ running: 1, waiting: 0 }))
    const held = hold(client, 'a')
    await turn()
    expect(await client.request('tools/list')).toMatchObject({ tools: [{}, {}] })
    release('a')
    await held
  })
})

describe('resultLimit', () => {
  test('is exact at the byte, whatever the letters', () => {
    for (const value of [
      '',
      'abc',
      'é',
      '€',
      '😀',
      '"\\\n\u0001',
      ['x', 1, null, true, -0.5],
      { a: { 'é"': '😀'.repeat(50) } },
      'x'.repeat(1000),
    ]) {
      const bytes = Buffer.byteLength(JSON.stringify(value))
      expect(isLarger(value, bytes), JSON.stringify(value)).toBe(false)
      expect(isLarger(value, bytes - 1), JSON.stringify(value)).toBe(true)
    }
  })

  test('members that JSON leaves out do not count', () => {
    expect(isLarger({ a: undefined, f: () => 0, long_name_that_is_left_out: undefined }, 2)).toBe(false)
    expect(isLarger([undefined], 6)).toBe(false)
    expect(isLarger([undefined], 5)).toBe(true)
    expect(isLarger({ at: new Date(0) }, 33)).toBe(false)
    expect(isLarger({ at: new Date(0) }, 32)).toBe(true)
  })

  test.each(ALL)('a result that is too large is refused with what to do, in %s', async version => {
    const server = serverWith(resultLimit(1000)).add(
      tool({ name: 'big', input: { type: 'object', properties: { n: { type: 'integer' } } } }, ({ n = 0 }) =>
        '€'.repeat(n),
      ),
    )
    const client = connect(server, { version })
    const room = 1000 - Buffer.byteLength(JSON.stringify({ content: [text('')] }))
    const fits = Math.floor(room / 3)
    expect(await client.call('big', { n: fits })).toHaveLength(fits)
    await expect(client.call('big', { n: fits + 1 })).rejects.toThrow(
      "The result of tool 'big' is larger than 1000 bytes. Ask for less: narrow the question, or use a limit or an offset if there is one.",
    )
  })
})

describe('the time a call waits for a place', () => {
  const sleeping = tool(
    { name: 'sleep', input: { type: 'object', properties: { ms: { type: 'number' } }, required: ['ms'] } },
    ({ ms }) => new Promise<string>(resolve => void setTimeout(resolve, ms, 'slept')),
  )

  test('counts as its time, and nothing is left in line', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const limits = [concurrency({ running: 1, waiting: 3, waitMs: 3000 }), timeout(3000)]
    const client = connect(serverWith(...limits).add(sleeping))
    const ended: [number, unknown][] = []
    const start = Date.now()
    for (let i = 0; i < 4; i++)
      void client
        .call('sleep', { ms: 2000 })
        .catch((e: Error) => e.message)
        .then(result => ended.push([Date.now() - start, result]))
    await vi.advanceTimersByTimeAsync(20_000)
    const late = expect.stringContaining('timed out after 3 s') as string
    expect(ended.toSorted(([a], [b]) => a - b)).toEqual([
      [2000, 'slept'],
      [3000, late],
      [3000, late],
      [3000, late],
    ])
    expect(vi.getTimerCount()).toBe(0)
    const next = client.call('sleep', { ms: 5 })
    await vi.advanceTimersByTimeAsync(5)
    expect(await next).toBe('slept')
  })
})

describe('a handler that ignores its signal', () => {
  test('keeps its place although it timed out, for as long as it runs', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const ends: (() => void)[] = []
    const server = serverWith(concurrency({ running: 1, waiting: 0 }), timeout(1000)).add(
      tool({ name: 'deaf' }, () => new Promise<string>(resolve => void ends.push(() => resolve('late')))),
      tool({ name: 'now' }, () => 'now'),
    )
    const client = connect(server)
    const late = error(client.call('deaf'))
    await vi.advanceTimersByTimeAsync(1000)
    expect(await late).toMatchObject({ message: expect.stringContaining('timed out') })
    expect(await error(client.call('now'))).toMatchObject({ code: -32004 })
    ends[0]?.()
    await vi.advanceTimersByTimeAsync(0)
    expect(await client.call('now')).toBe('now')
    // One that never ends does not keep it for ever.
    const never = error(client.call('deaf'))
    await vi.advanceTimersByTimeAsync(1000)
    await never
    await vi.advanceTimersByTimeAsync(599_999)
    expect(await error(client.call('now'))).toMatchObject({ code: -32004 })
    await vi.advanceTimersByTimeAsync(1)
    expect(await client.call('now')).toBe('now')
  })
})

describe('subscriptions', () => {
  const server = (): Server => serverWith().add(template({ uriTemplate: 'x://{+name}', name: 'x' }, ({ name }) => name))

  test('a session has so many, each so long', async () => {
    const client = connect(server(), { version: '2025-11-25' })
    const subscribe = (uri: string): Promise<unknown> => error(client.request('resources/subscribe', { uri }))
    expect(await subscribe(`x://${'a'.repeat(3000)}`)).toMatchObject({ code: -32602 })
    for (let i = 0; i < 1000; i++) expect(await subscribe(`x://${i}`)).toBeUndefined()
    expect(await subscribe('x://0'), 'one that is there already').toBeUndefined()
    expect(await subscribe('x://one-too-many')).toMatchObject({ code: -32004, data: { limit: 1000 } })
    await client.request('resources/unsubscribe', { uri: 'x://0' })
    expect(await subscribe('x://one-too-many')).toBeUndefined()
  })

  test('a stream that listens names so many, each so long, and a connection has so many streams', async () => {
    const client = connect(server())
    const listen = (resourceSubscriptions: readonly string[]): Promise<unknown> =>
      error(client.request('subscriptions/listen', { notifications: { resourceSubscriptions } }))
    expect(await listen([`x://${'a'.repeat(3000)}`])).toMatchObject({ code: -32602 })
    expect(await listen(Array.from({ length: 1001 }, (_, i) => `x://${i}`))).toMatchObject({ code: -32004 })
    const open = Array.from({ length: 100 }, () => listen(['x://1']))
    expect(await listen(['x://1'])).toMatchObject({ code: -32004, data: { limit: 100 } })
    const ended = await Promise.race([Promise.any(open), Promise.resolve('all are open')])
    expect(ended).toBe('all are open')
    client.close()
    await Promise.all(open)
  })
})
