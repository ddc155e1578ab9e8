import { tool } from '@causeway/engine'
import type { Tool } from '@causeway/engine'
import { describe, expect, test } from 'vitest'
import { Stateful, Stateless, ask, call, hello, tell } from '../support/http-client.ts'
import { JSON_HEADERS, exchange, open } from '../support/http-exchange.ts'
import type { Stream } from '../support/http-exchange.ts'
import type { ReceivedMessage } from '../support/peer.ts'
import { shopForTest } from '../support/workshop.ts'
import type { Shop } from '../support/workshop.ts'
import { isFetch } from '../support/fetch-service.ts'
import { WsClient } from '../support/ws-client.ts'

const ROUNDS = 6
const NAME = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const
const MARKED = {
  type: 'object',
  properties: { mark: { type: 'string' }, round: { type: 'number' } },
  required: ['mark', 'round'],
} as const

/** Says its caller's mark in every way there is: progress, log message, question, answer. */
const confide: Tool = tool({ name: 'confide', input: MARKED }, async ({ mark, round }, ctx) => {
  ctx.progress(1, mark)
  ctx.log('info', mark)
  if (!ctx.supports('elicitation')) return `${mark} ${round} told`
  const answer = await ctx.elicit('name', { message: mark, schema: NAME })
  ctx.progress(2, mark)
  return `${mark} ${round} ${answer.action === 'accept' ? answer.content.name : 'nobody'}`
})

/** One client: what it does, and every byte that ever reached it. */
interface Agent {
  readonly mark: string
  /** One call, with ids and tokens that every other agent uses too; the words of the answer. */
  confide(round: number): Promise<string>
  seen(): string
  leave(): Promise<void>
}

const rounds = Array.from({ length: ROUNDS }, (_, i) => i)
const confiding = (mark: string, round: number): Record<string, unknown> =>
  call(round, 'confide', { mark, round }, { progressToken: round })
const wordsIn = (message: ReceivedMessage | undefined): string => JSON.stringify(message?.result?.content)
const isQuestion = ({ method }: ReceivedMessage): boolean => method === 'elicitation/create'
const accepted = ({ id, params }: ReceivedMessage): object => ({
  jsonrpc: '2.0',
  id,
  result: { action: 'accept', content: { name: `${String(params?.message)} in person` } },
})

async function statefulAgent(shop: Shop, mark: string, version: string): Promise<Agent> {
  const session = await Stateful.open(shop.url, { version, capabilities: { elicitation: {} } })
  const streams: Stream[] = [await session.listen()]
  const canAsk = version >= '2025-06-18'
  return {
    mark,
    async confide(round) {
      let stream = await session.stream(confiding(mark, round))
      streams.push(stream)
      if (canAsk) {
        const question = await stream.until(isQuestion)
        // Some lose their connection and come back for the rest.
        if (round % 2 === 1) {
          stream.hangUp()
          stream = await session.listen(stream.ids[0])
          streams.push(stream)
        }
        await session.post(accepted(question))
      }
      await stream.ended
      return wordsIn(stream.messages.find(({ id, method }) => id === round && method === undefined))
    },
    seen: () => streams.map(({ text }) => text).join('\n'),
    async leave() {
      await session.end()
      await streams[0]?.ended
    },
  }
}

async function socketAgent(shop: Shop, mark: string): Promise<Agent> {
  const socket = await WsClient.open(shop.url)
  socket.answer = question => (accepted(question) as { result: unknown }).result
  await socket.initialize('2025-11-25', { elicitation: {} })
  return {
    mark,
    async confide(round) {
      socket.send(confiding(mark, round))
      return wordsIn(await socket.answered(round))
    },
    seen: () => socket.frames.join('\n'),
    leave: () => socket.close(),
  }
}

async function oldAgent(shop: Shop, mark: string): Promise<Agent> {
  const stream = await open(shop.url, { method: 'GET', path: '/sse', headers: { accept: 'text/event-stream' } })
  await stream.reads(() => stream.events.length > 0)
  const path = stream.events[0]?.data ?? ''
  const post = (body: unknown): Promise<unknown> => exchange(shop.url, { path, headers: JSON_HEADERS, body })
  const heard = (): ReceivedMessage[] => stream.events.slice(1).map(({ data }) => JSON.parse(data) as ReceivedMessage)
  const answered = (id: string | number): ReceivedMessage | undefined =>
    heard().find(m => m.id === id && m.method === undefined)
  await post(hello('2024-11-05'))
  await stream.reads(() => answered('hello') !== undefined)
  await post(tell('notifications/initialized'))
  return {
    mark,
    async confide(round) {
      await post(confiding(mark, round))
      await stream.reads(() => answered(round) !== undefined)
      return wordsIn(answered(round))
    },
    seen: () => stream.text,
    leave: async () => stream.hangUp(),
  }
}

async function statelessAgent(shop: Shop, mark: string): Promise<Agent> {
  const client = new Stateless(shop.url, { capabilities: { elicitation: {} } })
  const listening = await client.stream(ask(0, 'subscriptions/listen', { notifications: { toolsListChanged: true } }))
  const texts: string[] = []
  const ended = async (message: Record<string, unknown>): Promise<ReceivedMessage | undefined> => {
    const stream = await client.stream(message)
    await stream.ended
    texts.push(stream.text)
    return stream.messages.at(-1)
  }
  return {
    mark,
    async confide(round) {
      const first = confiding(mark, round)
      const asked = await ended(first)
      const { result = {} } = asked ?? {}
      const question = (result.inputRequests as Record<string, ReceivedMessage>).name as ReceivedMessage
      const inputResponses = { name: (accepted(question) as { result: unknown }).result }
      const params = { ...(first.params as object), inputResponses, requestState: result.requestState }
      return wordsIn(await ended({ ...first, params }))
    },
    seen: () => [listening.text, ...texts].join('\n'),
    async leave() {
      listening.hangUp()
      await listening.ended
    },
  }
}

const KINDS: readonly ((shop: Shop, mark: string) => Promise<Agent>)[] = [
  (shop, mark) => statefulAgent(shop, mark, '2025-11-25'),
  (shop, mark) => statefulAgent(shop, mark, '2025-06-18'),
  (shop, mark) => statefulAgent(shop, mark, '2025-03-26'),
  ...(isFetch ? [] : [socketAgent]),
  oldAgent,
  statelessAgent,
]

const agents = (shop: Shop, count: number): Promise<Agent[]> =>
  Promise.all(
    Array.from({ length: count }, (_, i) => {
      const kind = KINDS[i % KINDS.length] ?? socketAgent
      return kind(shop, `<agent-${i}>`)
    }),
  )

describe('[S-HTTP-07] under load, nobody sees what is another’s', () => {
  test('sixty clients over every endpoint, with the same ids and tokens, all at once', async () => {
    const shop = await shopForTest()
    shop.server.add(confide)
    const all = await agents(shop, 60)
    const said = await Promise.all(all.map(agent => Promise.all(rounds.map(round => agent.confide(round)))))
    for (const [i, { mark, seen }] of all.entries()) {
      expect(said[i]?.map((words, round) => words.includes(`${mark} ${round} `))).toEqual(rounds.map(() => true))
      // Every mark in every byte that came is the client's own.
      expect(new Set(seen().match(/<agent-\d+>/g))).toEqual(new Set([mark]))
    }
    await Promise.all(all.map(agent => agent.leave()))
    await expect.poll(() => shop.service.open, { interval: 5 }).toEqual({ sessions: 0, streams: 0, sockets: 0 })
  })

  test('a change of the list reaches each of them, and each once', async () => {
    const shop = await shopForTest()
    const all = await agents(shop, 30)
    await new Stateless(shop.url).call('change')
    const notices = ({ seen }: Agent): number => seen().split('notifications/tools/list_changed').length - 1
    await expect.poll(() => all.filter(agent => notices(agent) > 0).length, { interval: 5 }).toBe(30)
    for (let i = 0; i < 5; i++) await new Stateless(shop.url).call('echo')
    expect(all.map(notices)).toEqual(all.map(() => 1))
    await Promise.all(all.map(agent => agent.leave()))
  })

  test('a resource that changed is told to those who subscribed, and to nobody else', async () => {
    const shop = await shopForTest()
    const sessions = await Promise.all(Array.from({ length: 20 }, () => Stateful.open(shop.url)))
    const streams = await Promise.all(sessions.map(session => session.listen()))
    const subscribing = sessions.filter((_, i) => i % 2 === 0)
    await Promise.all(subscribing.map(session => session.request('resources/subscribe', { uri: 'note://one' })))
    await sessions[0]?.request('resources/unsubscribe', { uri: 'note://one' })
    await new Stateless(shop.url).call('touch')
    await new Stateless(shop.url).call('change')
    await Promise.all(
      streams.map(stream => stream.until(({ method }) => method === 'notifications/tools/list_changed')),
    )
    const updates = streams.map(
      ({ messages }) => messages.filter(({ method }) => method === 'notifications/resources/updated').length,
    )
    expect(updates).toEqual(streams.map((_, i) => (i % 2 === 0 && i !== 0 ? 1 : 0)))
    for (const stream of streams) stream.hangUp()
  })

  test('an answer to another’s question is nobody’s', async () => {
    const shop = await shopForTest()
    const capabilities = { elicitation: {} }
    const [mine, theirs] = [
      await Stateful.open(shop.url, { capabilities }),
      await Stateful.open(shop.url, { capabilities }),
    ]
    const streams = [
      await mine.stream(call(1, 'greet', { key: 'a' })),
      await theirs.stream(call(1, 'greet', { key: 'b' })),
    ]
    const [asked] = await Promise.all(streams.map(stream => stream.until(isQuestion)))
    const { id } = asked as ReceivedMessage
    const answer = (name: string): object => ({ jsonrpc: '2.0', id, result: { action: 'accept', content: { name } } })
    // The ids of questions are the same in both sessions; each hears only what was posted to it.
    await theirs.post(answer('Bo'))
    await streams[1]?.ended
    expect(streams[0]?.over).toBe(false)
    await mine.post(answer('Al'))
    await streams[0]?.ended
    expect(streams.map(stream => stream.messages.at(-1)?.result?.content)).toMatchObject([
      [{ text: 'Hello, Al!' }],
      [{ text: 'Hello, Bo!' }],
    ])
  })
})
