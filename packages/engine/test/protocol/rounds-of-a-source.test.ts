import { createServer } from '@causeway/engine'
import { connect } from '@causeway/engine/testing'
import type { Handle, Params, Server, ToolEntry } from '@causeway/engine'
import { expect, test } from 'vitest'
import { scenario } from '../support/scenario.ts'

const ask = (message: string): Params => ({
  method: 'elicitation/create',
  params: { mode: 'form', message, requestedSchema: { type: 'object', properties: {} } },
})

/** Answers like a server elsewhere that keeps its own state between rounds. */
function elsewhere(seen: Params[]): Handle {
  return ({ carried, answers }) => {
    seen.push({ carried, answers })
    const round = typeof carried === 'string' ? Number(carried.split(' ')[1]) : 0
    if (round === 2) return { content: [{ type: 'text', text: `done after ${JSON.stringify(carried)}` }] }
    return {
      resultType: 'input_required',
      inputRequests: { [`q${round}`]: ask(`Question ${round}?`) },
      requestState: `upstream ${round + 1}`,
    }
  }
}

const serverOf = (run: Handle): Server => {
  const entry: ToolEntry = { key: 'far', info: { name: 'far', inputSchema: { type: 'object' } }, run }
  return createServer({ name: 's', version: '1', log: () => {} }).add({
    name: 'far',
    tools: { list: () => [entry], find: key => (key === 'far' ? entry : undefined) },
  })
}

let seen: Params[] = []
const server = (): Server => {
  seen = []
  return serverOf(elsewhere(seen))
}
const able = { elicitation: { form: {}, url: {} } }

scenario(
  'a result’s own state comes back with the answers to its last questions',
  { server, capabilities: able, in: ['2025-06-18', '2025-11-25', '2026-07-28'] },
  async peer => {
    peer.answer = () => ({ action: 'accept', content: {} })
    expect(await peer.words('far')).toBe('done after "upstream 2"')
    const accepted = { action: 'accept', content: {} }
    expect(seen).toEqual([
      { carried: undefined, answers: {} },
      { carried: 'upstream 1', answers: { q0: accepted } },
      { carried: 'upstream 2', answers: { q1: accepted } },
    ])
  },
)

test('it travels sealed: the client cannot read, change or move it', async () => {
  const client = connect(server(), { capabilities: able })
  const first = await client.request('tools/call', { name: 'far' })
  expect(first).toMatchObject({ resultType: 'input_required', inputRequests: { q0: ask('Question 0?') } })
  const state = String(first.requestState)
  expect(Buffer.from(state, 'base64url').toString('latin1')).not.toContain('upstream')
  const retry = (params: Params): Promise<Params> => client.request('tools/call', { name: 'far', ...params })
  await expect(retry({ requestState: 'upstream 1' })).rejects.toThrow('was not issued for this request')
  await expect(retry({ requestState: state, arguments: { other: 1 } })).rejects.toThrow(
    'was not issued for this request',
  )
  expect(await retry({ requestState: state, inputResponses: { q0: {} } })).toMatchObject({
    inputRequests: { q1: ask('Question 1?') },
  })
})

scenario(
  'what comes from elsewhere is asked only of clients that can answer',
  { server, in: ['2024-11-05', '2025-11-25', '2026-07-28'] },
  async peer => {
    const { result, error } = await peer.request('tools/call', { name: 'far' })
    const words = 'This needs a client that supports elicitation'
    if (peer.stateless) expect(error).toMatchObject({ code: -32021, message: words })
    else expect(result).toMatchObject({ isError: true, content: [{ text: words }] })
    expect(peer.sent()).toEqual([])
  },
)

test('questions that are none are a mistake of the source, not the client’s', async () => {
  const run: Handle = () => ({ resultType: 'input_required', inputRequests: { q: 'what?' } })
  const client = connect(serverOf(run), { capabilities: able })
  await expect(client.call('far')).rejects.toThrow(/^Internal error \(reference /)
})
