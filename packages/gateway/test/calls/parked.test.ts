import { connect } from '@causeway/engine/testing'
import type { Params, Result, Server } from '@causeway/engine'
import { serveHttp } from '@causeway/engine/http'
import type { Authenticator } from '@causeway/engine/http'
import { ParkedCalls, RemoteServer, httpTransport } from '@causeway/engine/client'
import type { ClientTransport, ParkedCall } from '@causeway/engine/client'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { childOf, entryOf, gatewayTo, later, textOf } from '../support/world.ts'

const CAN = { elicitation: { form: {} } }
const accept = (value: string): Params => ({ action: 'accept', content: { value } })

/** A client of the stateless era that answers nothing by itself. */
async function byHand(server: Server): Promise<(method: string, params: Params) => Promise<Result>> {
  const client = connect(server, { capabilities: CAN })
  await vi.waitFor(async () => {
    const { tools } = await client.request('tools/list')
    expect((tools as unknown[]).length).toBeGreaterThan(5)
  }, 10_000)
  return (method, params) => client.request(method, params)
}

const keyOf = ({ inputRequests }: Result): string => Object.keys(inputRequests as Params)[0] ?? ''
const messageOf = (asked: Result): unknown =>
  ((asked.inputRequests as Params)[keyOf(asked)] as { params: Params }).params.message

afterEach(() => vi.useRealTimers())

describe.each(['stdio', 'http'])('a call that asks live over %s, for a client whose requests stand alone', door => {
  test('the same retry twice gives the same question, and the tool runs once', async () => {
    const { server } = await gatewayTo({ up: await entryOf('sdk-v1', door) })
    const request = await byHand(server)
    const call = { name: 'up__ask', arguments: {} }
    const first = await request('tools/call', call)
    expect(messageOf(first)).toBe('First?')
    const retry = { ...call, requestState: first.requestState, inputResponses: { [keyOf(first)]: accept('one') } }
    const [a, b] = await Promise.all([request('tools/call', retry), request('tools/call', retry)])
    expect([messageOf(a), messageOf(b)]).toEqual(['Last?', 'Last?'])
    const last = { ...call, requestState: b.requestState, inputResponses: { [keyOf(b)]: accept('two') } }
    const done = await request('tools/call', last)
    expect(JSON.parse(textOf(done))).toMatchObject([{ content: { value: 'one' } }, { content: { value: 'two' } }])
    // The last answer may have been lost on its way: it can be fetched again.
    expect(textOf(await request('tools/call', last))).toBe(textOf(done))
    expect(textOf(await request('tools/call', { name: 'up__runs', arguments: {} }))).toBe('1')
  })

  test('other arguments are refused, and a gateway that forgot says what to do', async () => {
    const entry = await entryOf('sdk-v1', door)
    const { server, gateway } = await gatewayTo({ up: entry })
    const request = await byHand(server)
    const first = await request('tools/call', { name: 'up__ask', arguments: {} })
    const answers = { [keyOf(first)]: accept('one') }
    const other = {
      name: 'up__ask',
      arguments: { who: 'x' },
      requestState: first.requestState,
      inputResponses: answers,
    }
    await expect(request('tools/call', other)).rejects.toThrow('was not issued for this request')
    await gateway.close()
    const { server: next } = await gatewayTo({ up: entry })
    const again = await byHand(next)
    const retry = { name: 'up__ask', arguments: {}, requestState: first.requestState, inputResponses: answers }
    await expect(again('tools/call', retry)).rejects.toThrow(
      'The call that asked is gone. Send the request again without requestState',
    )
  })
})

test('a call whose server dies while it waits says that it may have done its work', async () => {
  const { server, gateway } = await gatewayTo({ up: { ...(await entryOf('sdk-v1', 'stdio')), processes: 1 } })
  const request = await byHand(server)
  const call = { name: 'up__ask', arguments: {} }
  const first = await request('tools/call', call)
  const pid = childOf(gateway.servers.get('up'))
  process.kill(pid, 'SIGKILL')
  const retry = { ...call, requestState: first.requestState, inputResponses: { [keyOf(first)]: accept('one') } }
  expect(textOf(await request('tools/call', retry))).toContain('may or may not have done its work')
})

/** A call that waits, and what it was given up for. */
function waiting(client: string, isOver = false) {
  const giveUp = vi.fn<ParkedCall['giveUp']>()
  const resume = (): Promise<never> => new Promise(() => {})
  return { link: { client }, isOver, isAwaited: false, resume, giveUp }
}

test('a call that nobody comes back for is cancelled at its server, and forgotten', () => {
  vi.useFakeTimers()
  const parked = new ParkedCalls({ ttlMs: 600_000 })
  const call = waiting('a')
  const ticket = parked.park(call)
  vi.advanceTimersByTime(599_000)
  expect(parked.find(ticket)).toBeDefined()
  vi.advanceTimersByTime(599_000)
  expect(call.giveUp).not.toHaveBeenCalled()
  vi.advanceTimersByTime(2000)
  expect(call.giveUp).toHaveBeenCalledOnce()
  expect([parked.find(ticket), parked.waiting]).toEqual([undefined, 0])
  const over = waiting('a', true)
  const done = parked.park(over)
  parked.settle(done)
  vi.advanceTimersByTime(61_000)
  expect(parked.find(done)).toBeUndefined()
  expect(over.giveUp).not.toHaveBeenCalled()
})

test('a call that its client waits for again is not given up, however long its server works', () => {
  vi.useFakeTimers()
  const parked = new ParkedCalls({ ttlMs: 600_000 })
  const call = { ...waiting('a'), isAwaited: true }
  const ticket = parked.park(call)
  vi.advanceTimersByTime(700_000)
  expect(call.giveUp).not.toHaveBeenCalled()
  expect(parked.find(ticket)).toBe(call)
  call.isAwaited = false
  vi.advanceTimersByTime(700_000)
  expect(call.giveUp).toHaveBeenCalledOnce()
  expect(parked.waiting).toBe(0)
})

test('the client with the most questions loses its oldest, once that was left unanswered for a while', () => {
  vi.useFakeTimers()
  const parked = new ParkedCalls({ most: 8 })
  const [old, young, other] = [waiting('greedy'), waiting('greedy'), waiting('modest')]
  parked.park(other)
  parked.park(old)
  vi.advanceTimersByTime(9000)
  parked.park(young)
  parked.makeRoom()
  expect(old.giveUp).not.toHaveBeenCalled()
  vi.advanceTimersByTime(1000)
  parked.makeRoom()
  expect(old.giveUp.mock.calls).toMatchObject([[{ kind: 'busy', message: expect.stringContaining('others waited') }]])
  expect([young, other].flatMap(({ giveUp }) => giveUp.mock.calls)).toEqual([])
})

test('what a server that died was doing may have been done, and is said so', async () => {
  const { server } = await gatewayTo({ up: await entryOf('sdk-v1', 'stdio') })
  const request = await byHand(server)
  const first = await request('tools/call', { name: 'up__ask', arguments: {} })
  const pid = textOf(await request('tools/call', { name: 'up__pid', arguments: {} }).catch(() => ({ content: [] })))
  expect(pid).toBeDefined()
  const died = await request('tools/call', { name: 'up__die', arguments: {} })
  expect(textOf(died)).toContain('may or may not have done its work')
  expect(first.resultType).toBe('input_required')
})

test('the thirty-third call of one client that waits is refused as busy', async () => {
  const { server } = await gatewayTo({ up: await entryOf('sdk-v1', 'http') })
  const request = await byHand(server)
  const call = { name: 'up__ask', arguments: {} }
  for (let i = 0; i < 32; i++) expect((await request('tools/call', call)).resultType).toBe('input_required')
  await expect(request('tools/call', call)).rejects.toThrow('Too many calls wait for answers (32 of this client)')
  expect(textOf(await request('tools/call', { name: 'up__echo', arguments: { text: 'still' } }))).toBe('still')
})

test('two principals ask at once over stdio: no question reaches the wrong one, and their state is apart', async () => {
  const { server } = await gatewayTo({ up: { ...(await entryOf('sdk-v1', 'stdio')), processes: 2 } })
  const authenticator: Authenticator = { authenticate: ({ token = '' }) => ({ name: token }) }
  const service = await serveHttp(server, { port: 0, authenticator })
  later(() => service.close())
  const wrong: string[] = []
  const clients = await Promise.all(
    ['ada', 'bob'].map(async who => {
      const transport = (): ClientTransport =>
        httpTransport({ url: new URL('/mcp', service.url).href, headers: { authorization: `Bearer ${who}` } })
      const remote = await RemoteServer.connect(
        { open: transport },
        {
          client: { name: who, version: '1' },
          answer: ({ params }) => {
            if (!String(params.message).includes(who)) wrong.push(`${who} was asked ${String(params.message)}`)
            return accept(who)
          },
        },
      )
      later(() => remote.close())
      await vi.waitFor(async () => expect((await remote.list('tools/list')).length).toBeGreaterThan(5), 10_000)
      return { who, remote }
    }),
  )
  const burst = (): Promise<string[]> =>
    Promise.all(
      clients.flatMap(({ who, remote }) =>
        Array.from({ length: 50 }, () => remote.callTool('up__ask', { who: ` ${who}` }).then(textOf)),
      ),
    )
  // Nobody knows yet that it asks: what cannot be told apart is refused, not guessed.
  for (const text of await burst()) expect(text).toMatch(/^\[|does not say which of them asks/)
  const good = await burst()
  expect(good.filter(text => text.startsWith('['))).toHaveLength(100)
  expect(wrong).toEqual([])
  for (const { who, remote } of clients) {
    expect(textOf(await remote.callTool('up__counter'))).toBe('1')
    expect(textOf(await remote.callTool('up__counter'))).toBe('2')
    expect(good.some(text => text.includes(who))).toBe(true)
  }
})
