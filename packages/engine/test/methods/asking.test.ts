import { createServer, tool } from '@causeway/engine'
import { timeout } from '@causeway/engine/policies'
import type { Params } from '@causeway/engine'
import { expect, vi } from 'vitest'
import { connections } from '../support/carriers.ts'
import { ABLE, FORM, curious } from '../support/curious.ts'
import { wordsOf } from '../support/peer.ts'
import type { Answering, Peer } from '../support/peer.ts'
import { ALL, STATEFUL, from, scenario, until } from '../support/scenario.ts'

const SAMPLE = { role: 'assistant', content: { type: 'text', text: 'It.' }, model: 'm-1', stopReason: 'endTurn' }
const answering =
  (asked: { method: string; params: Params }[], replies: Readonly<Record<string, unknown>>): Answering =>
  ask => {
    asked.push(ask)
    return replies[ask.method]
  }
const able = { server: curious, capabilities: ABLE }

scenario(
  '[S-ELI-01] [S-ELI-04] a form is shown and its answer checked, with defaults filled in',
  { ...able, in: from('2025-06-18') },
  async peer => {
    const asked: { method: string; params: Params }[] = []
    peer.answer = answering(asked, {
      'elicitation/create': { action: 'accept', content: { city: 'Porto', room: 'd' } },
    })
    expect(JSON.parse(await peer.words('form'))).toEqual({ city: 'Porto', room: 'd', nights: 2, insured: true })
    const { nights, room, ...plain } = FORM.properties
    const { default: _, ...bare } = nights
    const old = { ...plain, nights: bare, room: { type: 'string', enum: ['s', 'd'], enumNames: ['Single', 'Double'] } }
    expect(asked).toEqual([
      {
        method: 'elicitation/create',
        params:
          peer.version === '2025-06-18'
            ? { message: 'Where to?', requestedSchema: { ...FORM, properties: old } }
            : { mode: 'form', message: 'Where to?', requestedSchema: FORM },
      },
    ])
  },
)

scenario('[S-ELI-04] declining and cancelling are told apart', { ...able, in: from('2025-06-18') }, async peer => {
  for (const action of ['decline', 'cancel']) {
    peer.answer = () => ({ action, content: { city: 'ignored' } })
    expect(await peer.words('form')).toBe(action)
  }
})

scenario(
  '[S-ELI-04] an answer that does not fit the form is refused with what is wrong',
  { ...able, in: from('2025-06-18') },
  async peer => {
    peer.answer = () => ({ action: 'accept', content: { city: 'P', nights: 'two' } })
    await expect(peer.words('form')).rejects.toThrow(
      /-32602.*The answer to 'trip' does not fit: .*'city' .*'nights' must be an integer/,
    )
  },
)

scenario(
  '[S-ELI-02] [S-ELI-03] what must not pass through the client is asked on a page',
  { ...able, in: from('2025-11-25') },
  async peer => {
    const asked: { method: string; params: Params }[] = []
    peer.answer = answering(asked, { 'elicitation/create': { action: 'accept' } })
    expect(await peer.words('page')).toBe('accept')
    const { elicitationId, ...params } = asked[0]?.params ?? {}
    expect(params).toEqual({ mode: 'url', message: 'Sign in.', url: 'https://example.com/login' })
    expect(typeof elicitationId).toBe(peer.stateless ? 'undefined' : 'string')
  },
)

scenario('a model is sampled', able, async peer => {
  const asked: { method: string; params: Params }[] = []
  peer.answer = answering(asked, { 'sampling/createMessage': SAMPLE })
  expect(await peer.words('sample')).toBe('m-1: {"type":"text","text":"It."}')
  expect(asked[0]?.params).toEqual({
    messages: [{ role: 'user', content: { type: 'text', text: 'Say it.' } }],
    maxTokens: 10,
    systemPrompt: 'Be brief.',
  })
})

scenario('[S-SAM-01] tools go to a model only where the revision and the client have them', able, async peer => {
  peer.answer = () => ({ ...SAMPLE, stopReason: 'toolUse' })
  const result = await peer.request('tools/call', { name: 'sample_tools' })
  if (peer.version < '2025-11-25') expect(result.result).toMatchObject({ isError: true })
  else expect(await peer.words('sample_tools')).toBe('toolUse')
})

scenario('[S-ROOT-01] roots are asked for, and what is no root is left out', able, async peer => {
  peer.answer = () => ({ roots: [{ uri: 'file:///a', name: 'A' }, { nouri: 1 }, { uri: 'file:///b' }, null] })
  expect(await peer.words('roots')).toBe('file:///a,file:///b')
  peer.answer = () => ({})
  expect(await peer.words('roots')).toBe('')
})

scenario('a handler may ask in several rounds, and keeps every answer', able, async peer => {
  let asked = 0
  peer.answer = ({ params }) => {
    const [message] = params.messages as { content: { text: string } }[]
    return { ...SAMPLE, content: { type: 'text', text: `${++asked}(${message?.content.text})` } }
  }
  expect(await peer.words('rounds')).toBe('1()+2(1())+3(1()+2(1()))')
  expect(asked).toBe(3)
})

scenario('[S-MR-02] several things can be asked at once', { ...able, in: from('2025-06-18') }, async peer => {
  const asked: { method: string; params: Params }[] = []
  peer.answer = answering(asked, { 'roots/list': { roots: [] }, 'elicitation/create': { action: 'decline' } })
  expect(await peer.words('both')).toBe('[] decline')
  expect(asked.map(ask => ask.method)).toEqual(['roots/list', 'elicitation/create'])
})

scenario('prompts and resources may ask too', able, async peer => {
  peer.answer = () => ({ roots: [{ uri: 'file:///a' }] })
  expect(await peer.result('prompts/get', { name: 'asks' })).toMatchObject({
    messages: [{ content: { text: '1 roots' } }],
  })
  expect(await peer.result('resources/read', { uri: 'x://asks' })).toMatchObject({ contents: [{ text: '1 roots' }] })
})

scenario('a handler that swallows the suspension still gets its answer', able, async peer => {
  peer.answer = () => ({ roots: [] })
  expect(await peer.words('swallows')).toBe('0 roots')
})

scenario(
  '[S-RPC-03] [S-CLI-02] live questions have ids of their own, unlike each other, while the call runs',
  { ...able, in: STATEFUL },
  async peer => {
    peer.answer = () => SAMPLE
    await peer.words('rounds')
    await peer.words('rounds')
    const ids = peer.sent('sampling/createMessage').map(m => m.id)
    expect(new Set(ids).size).toBe(6)
    expect(ids.every(id => typeof id === 'string')).toBe(true)
  },
)

scenario(
  '[S-STD-04] [S-CLI-02] the stateless era puts no request on the wire',
  { ...able, in: ['2026-07-28'] },
  async peer => {
    peer.answer = () => SAMPLE
    await peer.words('rounds')
    expect(peer.sent()).toEqual([])
  },
)

scenario(
  'a client that refuses, or answers nonsense, fails the tool and nothing else',
  { ...able, in: STATEFUL },
  async peer => {
    const refuse = async (reply: object): Promise<Params> => {
      const id = peer.ask('tools/call', { name: 'roots' })
      const question = await peer.until(m => m.method === 'roots/list')
      peer.send({ jsonrpc: '2.0', id: question.id, ...reply })
      const { result } = await peer.answered(id)
      peer.received.length = 0
      return result ?? {}
    }
    expect(wordsOf(await refuse({ error: { code: -1, message: 'User said no' } }))).toBe(
      'The client refused: User said no',
    )
    expect(wordsOf(await refuse({ error: 'nonsense' }))).toBe('The client refused: The client answered with an error')
    expect(await refuse({ result: 'nonsense' })).toMatchObject({ isError: true })
  },
)

// Outside of a session, /mcp refuses answers.
scenario('[S-RPC-04] an answer to nothing is ignored', { ...able, in: ALL, over: connections }, async peer => {
  peer.send({ jsonrpc: '2.0', id: 'causeway-1', result: { roots: [] } })
  peer.send({ jsonrpc: '2.0', id: 77, result: {} })
  peer.send({ jsonrpc: '2.0', id: 77, error: { code: 1, message: 'x' } })
  peer.send({ jsonrpc: '2.0', error: { code: 1, message: 'x' } })
  const before = peer.received.length
  await peer.quiet()
  expect(peer.received).toHaveLength(before + 1)
})

/** What each client may be asked, by what it declares. */
const DECLARED: readonly (readonly [Params, string, string])[] = [
  [{}, '', ''],
  [{ elicitation: {} }, 'elicitation', 'elicitation'],
  [{ elicitation: { form: {} } }, 'elicitation', 'elicitation'],
  [{ elicitation: { url: {} } }, 'elicitation.url', ''],
  [{ elicitation: { form: {}, url: {} } }, 'elicitation,elicitation.url', 'elicitation'],
  [{ sampling: {} }, 'sampling', 'sampling'],
  [{ sampling: { tools: {} } }, 'sampling,sampling.tools', 'sampling'],
  [{ roots: { listChanged: true } }, 'roots', 'roots'],
  [{ roots: true, sampling: null, elicitation: 'yes' }, '', ''],
]

for (const [capabilities, now, in06] of DECLARED) {
  scenario(
    `[S-CLI-01] a client that declares ${JSON.stringify(capabilities)} is asked for nothing else`,
    { server: curious, capabilities },
    async peer => {
      const old = in06.split(',').filter(what => peer.version >= '2025-06-18' || what !== 'elicitation')
      expect(await peer.words('supports')).toBe(peer.version >= '2025-11-25' ? now : old.join())
    },
  )
}

const NEEDS: readonly (readonly [string, string, Params])[] = [
  ['form', 'elicitation', { elicitation: {} }],
  ['page', 'elicitation.url', { elicitation: { url: {} } }],
  ['sample', 'sampling', { sampling: {} }],
  ['sample_tools', 'sampling.tools', { sampling: { tools: {} } }],
  ['roots', 'roots', { roots: {} }],
  ['both', 'roots', { roots: {} }],
]

scenario(
  '[S-CLI-01] [S-LIFE-12] a client that cannot be asked is told what is missing',
  { server: curious },
  async peer => {
    for (const [name, what, requiredCapabilities] of NEEDS) {
      const { result, error } = await peer.request('tools/call', { name })
      const words = `This needs a client that supports ${what}`
      if (peer.stateless) expect(error).toEqual({ code: -32021, message: words, data: { requiredCapabilities } })
      else {
        // Words for the model; whoever passes them on can tell what they mean.
        const _meta = { 'dev.causeway/error': { kind: 'missing-capability', data: { requiredCapabilities } } }
        expect(result).toEqual({ content: [{ type: 'text', text: words }], isError: true, _meta })
      }
    }
    const { code } = await peer.error('prompts/get', { name: 'asks' })
    expect(code).toBe(peer.stateless ? -32021 : -32603)
    expect(peer.sent()).toEqual([])
  },
)

scenario(
  '[S-ELI-02] a client of an older revision is not sent a page, whatever it declares',
  { ...able, in: until('2025-11-25') },
  async peer => {
    expect(await peer.call('page')).toMatchObject({ isError: true })
    expect(peer.sent()).toEqual([])
  },
)

const forgetful = (): ReturnType<typeof curious> =>
  createServer({ name: 's', version: '1' })
    .use(timeout(100))
    .add(tool({ name: 'roots' }, async (_, ctx) => `${(await ctx.roots()).length}`))

scenario(
  '[S-LIFE-08] a question nobody answers is withdrawn after ten minutes, outside the tool’s own time',
  { server: forgetful, capabilities: ABLE, in: STATEFUL },
  async (peer: Peer) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const id = peer.ask('tools/call', { name: 'roots' })
      const question = await peer.until(m => m.method === 'roots/list')
      await vi.advanceTimersByTimeAsync(599_999)
      expect(peer.sent('notifications/cancelled')).toEqual([])
      await vi.advanceTimersByTimeAsync(1)
      const { result } = await peer.answered(id)
      expect(wordsOf(result ?? {})).toBe('The client refused: The client did not answer roots/list in time')
      expect(peer.sent('notifications/cancelled')[0]?.params).toMatchObject({ requestId: question.id })
    } finally {
      vi.useRealTimers()
    }
  },
)
