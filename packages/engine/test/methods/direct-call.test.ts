import { createServer, text, tool } from '@causeway/engine'
import type { Server } from '@causeway/engine'
import { expect } from 'vitest'
import type { Peer } from '../support/peer.ts'
import { STATEFUL, scenario } from '../support/scenario.ts'

const server = (): Server =>
  createServer({ name: 's', version: '1' }).add(
    tool(
      {
        name: 'sum',
        input: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] },
      },
      ({ a, b }) => ({ sum: a + b }),
    ),
    tool({ name: 'words' }, () => 'hello'),
    tool({ name: 'blocks' }, () => [text('a'), text('b')]),
    tool({ name: 'fails' }, () => {
      throw new Error('no luck')
    }),
    tool({ name: 'tells' }, () => ({ content: [text('told')], isError: true })),
    tool({ name: 'ping' }, () => 'a tool named ping'),
    tool({ name: 'old', aliases: ['older'] }, () => 'old'),
  )
const DIRECT = { server, in: STATEFUL, direct: true }

/** The answer to a method of that name; it need not be an MCP result, so no schema is asked. */
async function direct(peer: Peer, method: string, params?: unknown): Promise<unknown> {
  peer.received.length = 0
  peer.send({ jsonrpc: '2.0', id: 'd', method, params })
  const { result, error } = await peer.answered('d')
  peer.objections.length = 0
  return error ?? result
}

scenario('a tool’s name is a method whose result is the tool’s own value', DIRECT, async peer => {
  expect(await direct(peer, 'sum', { a: 5, b: 3 })).toEqual({ sum: 8 })
  expect(await direct(peer, 'words')).toBe('hello')
  expect(await direct(peer, 'older')).toBe('old')
  expect(await direct(peer, 'blocks')).toEqual({ content: [text('a'), text('b')] })
})

scenario('the protocol’s own methods come first', DIRECT, async peer => {
  expect(await peer.result('ping')).toEqual({})
  expect(await peer.words('ping')).toBe('a tool named ping')
})

scenario('what goes wrong is a protocol error', DIRECT, async peer => {
  expect(await direct(peer, 'fails')).toEqual({ code: -32603, message: 'no luck' })
  expect(await direct(peer, 'tells')).toEqual({ code: -32603, message: 'told' })
  expect(await direct(peer, 'nope')).toEqual({ code: -32601, message: 'Method not found: nope' })
  expect(await direct(peer, 'sum', { a: 1 })).toMatchObject({
    code: -32602,
    message: "Invalid arguments for tool 'sum': Missing required parameter 'b' (a number).",
  })
  expect(await direct(peer, 'sum', [1, 2])).toMatchObject({ code: -32602 })
})

scenario(
  'a direct call is a call: strict servers want the handshake first',
  { ...DIRECT, handshake: false },
  async peer => {
    expect(await direct(peer, 'words')).toMatchObject({ code: -32600 })
  },
)

scenario('unless it is switched on, a tool’s name is no method', { ...DIRECT, direct: false }, async peer => {
  expect(await direct(peer, 'words')).toEqual({ code: -32601, message: 'Method not found: words' })
})
