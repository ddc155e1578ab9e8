import { createServer, prompt, text, tool } from '@causeway/engine'
import { audit, compose, observe, only, rateLimit, timeout } from '@causeway/engine/policies'
import { connect } from '@causeway/engine/testing'
import type { Call, Params, Policy, Server } from '@causeway/engine'
import type { AuditEntry } from '@causeway/engine/policies'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { ABLE } from '../support/curious.ts'
import { ALL } from '../support/scenario.ts'

const serverWith = (...policies: Policy[]): Server => createServer({ name: 's', version: '1' }).use(...policies)
const error = (asked: Promise<unknown>): Promise<unknown> =>
  asked.then(
    () => undefined,
    ({ code, message, data }: { code: number; message: string; data: unknown }) => ({ code, message, data }),
  )

afterEach(() => {
  vi.useRealTimers()
})

describe('timeout', () => {
  const signals: AbortSignal[] = []
  const slow = (): Server =>
    serverWith(timeout(30_000)).add(
      tool({ name: 'deaf' }, (_, { signal }) => {
        signals.push(signal)
        return new Promise<never>(() => {})
      }),
      tool(
        { name: 'listens' },
        (_, { signal }) =>
          new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error))),
      ),
      tool({ name: 'quick' }, () => 'quick'),
      tool({ name: 'almost' }, () => new Promise<string>(resolve => void setTimeout(resolve, 29_999, 'almost'))),
      tool({ name: 'asks' }, async (_, ctx) => `${(await ctx.roots()).length} roots`),
      prompt({ name: 'deaf' }, () => new Promise<never>(() => {})),
    )

  test.each(ALL)('the answer comes on time although the handler ignores the signal, in %s', async version => {
    vi.useFakeTimers()
    const client = connect(slow(), { version })
    const answers = Promise.all(['deaf', 'listens'].map(name => client.request('tools/call', { name })))
    await vi.advanceTimersByTimeAsync(30_000)
    for (const [i, name] of ['deaf', 'listens'].entries()) {
      expect((await answers)[i]).toMatchObject({
        isError: true,
        content: [text(`Tool '${name}' timed out after 30 s. Ask for less, or try again later.`)],
      })
    }
    expect(signals.at(-1)?.aborted).toBe(true)
  })

  test('what is done in time is not disturbed, and no clock is left running', async () => {
    vi.useFakeTimers()
    const client = connect(slow())
    expect(await client.call('quick')).toBe('quick')
    const almost = client.call('almost')
    await vi.advanceTimersByTimeAsync(29_999)
    expect(await almost).toBe('almost')
    expect(vi.getTimerCount()).toBe(0)
  })

  test('a handler may ask for more, and gets what the operator allows', async () => {
    vi.useFakeTimers()
    const granted: number[] = []
    const patient = tool({ name: 'patient' }, async (_, ctx) => {
      granted.push(ctx.allowTime(100_000))
      return new Promise<never>(() => {})
    })
    const fixed = connect(serverWith(timeout(30_000)).add(patient)).request('tools/call', { name: 'patient' })
    const longer = connect(serverWith(timeout(30_000, { most: 60_000 })).add(patient)).request('tools/call', {
      name: 'patient',
    })
    let isOver = false
    void longer.then(() => (isOver = true))
    await vi.advanceTimersByTimeAsync(30_000)
    expect(JSON.stringify(await fixed)).toContain('timed out after 30 s')
    await vi.advanceTimersByTimeAsync(29_999)
    expect(isOver).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    expect(JSON.stringify(await longer)).toContain('timed out after 60 s')
    expect(granted).toEqual([30_000, 60_000])
    expect(vi.getTimerCount()).toBe(0)
  })

  test('outside tools it is a protocol error', async () => {
    vi.useFakeTimers()
    const refused = error(connect(slow()).request('prompts/get', { name: 'deaf' }))
    await vi.advanceTimersByTimeAsync(30_000)
    expect(await refused).toMatchObject({
      code: -32000,
      message: 'The request prompts/get timed out after 30 s. Ask for less, or try again later.',
      data: { timeoutMs: 30_000 },
    })
  })

  test('the time a person takes does not count', async () => {
    vi.useFakeTimers()
    const answer = (): Promise<unknown> => new Promise(resolve => void setTimeout(resolve, 300_000, { roots: [] }))
    const asked = connect(slow(), { version: '2025-11-25', answer, capabilities: ABLE }).call('asks')
    await vi.advanceTimersByTimeAsync(300_000)
    expect(await asked).toBe('0 roots')
  })
})

describe('audit', () => {
  test('writes one entry per tool call, whatever becomes of it', async () => {
    const entries: AuditEntry[] = []
    const server = serverWith(
      observe([audit(entry => entries.push(entry))]),
      rateLimit({ burst: 6, perSecond: 1, now: () => 0 }),
    ).add(
      tool({ name: 'ok', input: { type: 'object' } }, () => 'ok'),
      tool({ name: 'bad' }, () => Promise.reject(new Error('no'))),
      tool({ name: 'asks' }, async (_, ctx) => `${(await ctx.roots()).length}`),
      tool({ name: 'hangs' }, () => new Promise<never>(() => {})),
    )
    const client = connect(server, { version: '2025-06-18', answer: () => ({ roots: [] }) })
    await client.request('tools/list')
    await client.call('ok', { user: 'ann', password: 'hunter2' })
    await error(client.call('bad'))
    await client.call('asks')
    await error(client.call('nope'))
    await error(client.call('ok', { x: 1 }))
    await error(client.call('ok'))
    expect(entries.map(({ tool: name, outcome }) => [name, outcome])).toEqual([
      ['ok', 'ok'],
      ['bad', 'tool-failed'],
      ['asks', 'asked'],
      ['asks', 'ok'],
      ['nope', 'unknown-tool'],
      ['ok', 'ok'],
      ['ok', 'rate-limited'],
    ])
    const [first] = entries
    expect(first).toEqual({
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      principal: null,
      client: 'causeway-test/1.0.0',
      session: expect.any(String),
      transport: 'memory',
      revision: '2025-06-18',
      request: expect.any(Number),
      method: 'tools/call',
      tool: 'ok',
      arguments: { user: 'ann', password: '[redacted]' },
      outcome: 'ok',
      durationMs: expect.any(Number),
    })
  })

  test('tells an error result, invalid arguments and a cancellation apart', async () => {
    const entries: AuditEntry[] = []
    const server = serverWith(observe([audit(entry => entries.push(entry))])).add(
      tool({ name: 'told' }, () => ({ content: [], isError: true })),
      tool({ name: 'strict', input: { type: 'object', required: ['x'] } }, () => 'x'),
      tool(
        { name: 'hangs' },
        (_, { signal }) =>
          new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error))),
      ),
    )
    const client = connect(server, { version: '2025-11-25' })
    await client.request('tools/call', { name: 'told' })
    await client.request('tools/call', { name: 'strict' })
    const hanging = client.raw('{"jsonrpc":"2.0","id":"h","method":"tools/call","params":{"name":"hangs"}}')
    await client.notify('notifications/cancelled', { requestId: 'h' })
    expect(await hanging).toBeUndefined()
    expect(entries.map(entry => entry.outcome)).toEqual(['failed', 'invalid-arguments', 'cancelled'])
  })
})

describe('policies', () => {
  const call = { method: 'tools/call' } as Call
  const mark =
    (name: string, seen: string[]): Policy =>
    (call, next) => (seen.push(name), next(call))

  test('are folded around the handler, the first outermost', async () => {
    const seen: string[] = []
    const run = compose([mark('a', seen), mark('b', seen)], () => (seen.push('run'), { done: true }))
    expect(await run(call)).toEqual({ done: true })
    expect(seen).toEqual(['a', 'b', 'run'])
  })

  test('may be for some methods only', async () => {
    const seen: string[] = []
    const run = compose([only(['ping'], mark('ping', seen)), only(['tools/call'], mark('call', seen))], () => ({}))
    await run(call)
    expect(seen).toEqual(['call'])
  })

  test('a policy that answers itself keeps the handler out', async () => {
    const server = serverWith(only(['tools/call'], () => ({ content: [text('from the policy')] }))).add(
      tool({ name: 't' }, () => 'from the tool'),
    )
    expect(await connect(server).call('t')).toBe('from the policy')
  })
})

describe('audit and what must not be written', () => {
  const entryFor = async (params: Params): Promise<AuditEntry | undefined> => {
    const entries: AuditEntry[] = []
    const server = createServer({ name: 't', version: '1' })
    server.use(observe([audit(entry => entries.push(entry), { schemaOf: name => server.inputSchemaOf(name) })]))
    const properties = {
      content: { type: 'string', 'x-audit': 'omit' },
      command: { type: 'string', 'x-audit': 'head' },
    } as const
    server.add(tool({ name: 'write', aliases: ['fs/write'], input: { type: 'object', properties } }, () => 'done'))
    const client = connect(server, { version: '2025-11-25' })
    await client.request('tools/call', params).catch(() => {})
    return entries[0]
  }

  test('arguments are shown as the tool annotates them, also under an alias', async () => {
    for (const name of ['write', 'fs/write']) {
      const entry = await entryFor({ name, arguments: { content: 'hunter2', command: 'x --password hunter2' } })
      expect(entry?.arguments).toEqual({ content: '[omitted: 7 characters]', command: 'x --password [redacted]' })
    }
  })

  test('names that clients choose are cut and masked', async () => {
    const entry = await entryFor({ name: `password=hunter2 ${'x'.repeat(100_000)}` })
    expect(JSON.stringify(entry).length).toBeLessThan(1000)
    expect(entry?.tool).toContain('password=[redacted]')
  })
})
