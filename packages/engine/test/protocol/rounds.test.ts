import { createServer, tool } from '@causeway/engine'
import { connect } from '@causeway/engine/testing'
import type { Params, Server } from '@causeway/engine'
import { expect, test, vi } from 'vitest'
import { createSeal } from '../../src/protocol/request-state.ts'
import { ABLE, curious } from '../support/curious.ts'
import { P, wordsOf } from '../support/peer.ts'
import type { ReceivedMessage, Peer } from '../support/peer.ts'
import { scenario } from '../support/scenario.ts'

const NEWEST = { server: curious, capabilities: ABLE, in: ['2026-07-28'] }

const roundsCall = (params: Params = {}): Params => ({ name: 'rounds', arguments: { times: 2 }, ...params })
const said = (words: string): Params => ({ role: 'assistant', content: { type: 'text', text: words }, model: 'm' })
const begin = async (peer: Peer): Promise<Params> => (await peer.request('tools/call', roundsCall())).result ?? {}
const proceed = (peer: Peer, params: Params): Promise<ReceivedMessage> => peer.request('tools/call', roundsCall(params))

scenario('[S-MR-01] [S-MR-02] [S-MR-06] what a handler asks comes back as the result', NEWEST, async peer => {
  const result = await peer.request('tools/call', { name: 'roots' })
  expect(result.result).toEqual({
    resultType: 'input_required',
    inputRequests: { roots: { method: 'roots/list', params: {} } },
    requestState: expect.any(String),
    _meta: { [`${P}serverInfo`]: { name: 'curious', version: '1' } },
  })
  for (const [method, params] of [
    ['prompts/get', { name: 'asks' }],
    ['resources/read', { uri: 'x://asks' }],
  ] as const) {
    const { result: asked } = await peer.request(method, params)
    expect(asked).toMatchObject({
      resultType: 'input_required',
      inputRequests: { roots: { method: 'roots/list' } },
    })
    expect(Object.keys(asked ?? {}).sort()).toEqual(['_meta', 'inputRequests', 'requestState', 'resultType'])
  }
})

scenario('[S-MR-03] the next round is a request of its own that carries everything', NEWEST, async peer => {
  const first = await begin(peer)
  expect(Object.keys(first.inputRequests as object)).toEqual(['q0'])
  const { result: second } = await proceed(peer, {
    requestState: first.requestState,
    inputResponses: { q0: said('one') },
  })
  expect(Object.keys(second?.inputRequests as object)).toEqual(['q1'])
  const { result } = await proceed(peer, { requestState: second?.requestState, inputResponses: { q1: said('two') } })
  expect(wordsOf(result ?? {})).toBe('one+two')
})

scenario('[S-MR-03] members may be written in another order, and `_meta` may differ', NEWEST, async peer => {
  const { requestState } = await begin(peer)
  const { result } = await peer.request('tools/call', {
    requestState,
    inputResponses: { q0: said('one'), q1: said('two') },
    arguments: { times: 2 },
    _meta: { progressToken: 5 },
    name: 'rounds',
  })
  expect(wordsOf(result ?? {})).toBe('one+two')
})

scenario('[S-MR-05] what is still missing is asked again, what nobody asked is ignored', NEWEST, async peer => {
  const { requestState } = await begin(peer)
  for (const inputResponses of [undefined, {}, { other: { x: 1 } }]) {
    const { result } = await proceed(peer, { requestState, ...(inputResponses && { inputResponses }) })
    expect(result).toMatchObject({
      resultType: 'input_required',
      inputRequests: { q0: { method: 'sampling/createMessage' } },
    })
  }
})

scenario('[S-MR-05] answers of the wrong shape are refused', NEWEST, async peer => {
  const { requestState } = await begin(peer)
  for (const inputResponses of [null, [], 'x', 5, { q0: 5 }, { q0: null }, { q0: [said('x')] }]) {
    const { error } = await proceed(peer, { requestState, inputResponses })
    expect(error).toMatchObject({
      code: -32602,
      message: expect.stringMatching(/^Invalid params: inputResponses.* must be an object$/),
    })
  }
})

const refusal = (why: string): object => ({
  code: -32602,
  message: `Invalid params: requestState ${why}. Send the request again without it.`,
})
const FOREIGN = refusal('was not issued for this request')

scenario('[S-MR-04] changed state is refused, wherever it was changed', NEWEST, async peer => {
  const { requestState } = await begin(peer)
  const state = String(requestState)
  const flipped = [0, 11, 12, 27, 28, state.length - 1].map(
    at => `${state.slice(0, at)}${state[at] === 'A' ? 'B' : 'A'}${state.slice(at + 1)}`,
  )
  for (const tampered of [
    ...flipped,
    `${state}=`,
    `${state} `,
    `${state}AAAA`,
    state.slice(0, -4),
    '',
    'x',
    null,
    5,
    {},
    [state],
  ]) {
    const { error } = await proceed(peer, { requestState: tampered, inputResponses: { q0: said('x') } })
    expect(error, JSON.stringify(tampered)).toEqual(FOREIGN)
  }
})

scenario('[S-MR-04] state belongs to one method, one name, one set of arguments', NEWEST, async peer => {
  const { requestState } = await begin(peer)
  const inputResponses = { q0: said('x') }
  for (const [method, params] of [
    ['tools/call', { name: 'rounds', arguments: { times: 3 } }],
    ['tools/call', { name: 'rounds' }],
    ['tools/call', { name: 'roots', arguments: { times: 2 } }],
    ['prompts/get', { name: 'rounds', arguments: { times: '2' } }],
    ['resources/read', { uri: 'x://asks' }],
  ] as const) {
    expect(await peer.error(method, { ...params, requestState, inputResponses })).toEqual(FOREIGN)
  }
})

const aged = (): Server => {
  vi.useFakeTimers({ toFake: ['Date'], now: 1_000_000 })
  return curious()
}

scenario('[S-MR-04] state expires after ten minutes', { ...NEWEST, server: aged }, async peer => {
  try {
    const { requestState } = await begin(peer)
    vi.setSystemTime(1_000_000 + 600_000)
    expect((await proceed(peer, { requestState, inputResponses: { q0: said('x') } })).result).toBeDefined()
    vi.setSystemTime(1_000_000 + 600_001)
    const { error } = await proceed(peer, { requestState, inputResponses: { q0: said('x') } })
    expect(error).toEqual(refusal('has expired'))
  } finally {
    vi.useRealTimers()
  }
})

test('[S-MR-04] [S-MR-08] a seal opens for the same request, principal and secret, and for nobody else', () => {
  const binding = {
    method: 'tools/call',
    params: { name: 'x', arguments: { a: 1, b: [{ c: 2, d: 3 }] } },
    principal: 'ann',
  }
  const answers = { q: { secret: 'plain' } }
  const seal = createSeal('shared')
  const state = seal.close({ answers }, binding)
  expect(
    createSeal('shared').open(state, {
      ...binding,
      params: { arguments: { b: [{ d: 3, c: 2 }], a: 1 }, name: 'x', _meta: {} },
    }),
  ).toEqual({ answers })
  expect(seal.open(undefined, binding)).toEqual({ answers: {} })
  expect(seal.open(seal.close({ answers, carried: ['ticket'] }, binding), binding).carried).toEqual(['ticket'])
  expect(Buffer.from(state, 'base64url').toString('latin1')).not.toContain('plain')
  expect(seal.close({ answers }, binding)).not.toBe(state)
  const refused = (other: ReturnType<typeof createSeal>, changed: object): void =>
    expect(() => other.open(state, { ...binding, ...changed })).toThrow('was not issued for this request')
  refused(createSeal('other'), {})
  refused(createSeal(undefined), {})
  refused(seal, { principal: 'bob' })
  refused(seal, { principal: undefined })
  refused(seal, { method: 'prompts/get' })
  refused(seal, { params: { ...binding.params, extra: 1 } })
})

scenario(
  '[S-MR-03] servers that share a secret continue each other’s rounds, others do not',
  { ...NEWEST, server: () => curious({ secret: 'shared' }) },
  async peer => {
    const { requestState } = await begin(peer)
    const params = roundsCall({ requestState, inputResponses: { q0: said('one'), q1: said('two') } })
    const twin = connect(curious({ secret: 'shared' }), { capabilities: ABLE })
    expect(wordsOf(await twin.request('tools/call', params))).toBe('one+two')
    await expect(connect(curious(), { capabilities: ABLE }).request('tools/call', params)).rejects.toThrow(
      'was not issued',
    )
  },
)

scenario('[S-MR-02] [S-LIFE-09] what a client can do is what this very request says', NEWEST, async peer => {
  const { requestState } = await begin(peer)
  peer.capabilities = {}
  const { error } = await proceed(peer, { requestState, inputResponses: { q0: said('one') } })
  expect(error).toMatchObject({ code: -32021, data: { requiredCapabilities: { sampling: {} } } })
})

scenario(
  '[S-MR-07] a handler is run from the top until it has every answer',
  {
    ...NEWEST,
    server: () => {
      let runs = 0
      return createServer({ name: 's', version: '1' }).add(
        tool({ name: 'counts' }, async (_, ctx) => {
          runs += 1
          await ctx.roots('a')
          await ctx.roots('b')
          return `run ${runs}`
        }),
      )
    },
  },
  async peer => {
    peer.answer = () => ({ roots: [] })
    expect(await peer.words('counts')).toBe('run 3')
  },
)

scenario(
  '[S-MR-09] a handler that never stops asking is given up',
  { server: curious, capabilities: ABLE, in: ['2025-11-25'] },
  async peer => {
    let asked = 0
    peer.answer = () => {
      asked += 1
      return said('more')
    }
    const { error } = await peer.request('tools/call', { name: 'rounds', arguments: { times: 100 } })
    expect(error).toEqual({ code: -32603, message: 'Gave up after asking the client 8 times' })
    expect(asked).toBe(8)
  },
)
