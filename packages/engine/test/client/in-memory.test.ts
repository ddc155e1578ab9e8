import { RpcError, createServer, text, tool, versions } from '@causeway/engine'
import { connect } from '@causeway/engine/testing'
import { describe, expect, test } from 'vitest'
import { curious } from '../support/curious.ts'
import { ALL } from '../support/scenario.ts'

const server = createServer({ name: 's', version: '1' }).add(
  tool({ name: 'revision' }, (_, ctx) => (ctx.log('info', 'said'), ctx.progress(1), 'words')),
  tool({ name: 'data' }, () => ({ a: 1 })),
  tool({ name: 'bad' }, () => {
    throw new Error('no')
  }),
  tool({ name: 'two' }, () => [text('a'), text('b')]),
)

describe.each(ALL)('a client in memory, in %s', version => {
  test('calls tools and gets values, words or errors', async () => {
    const client = connect(server, { version })
    expect(await client.call('two')).toBe('ab')
    expect(await client.call('data')).toEqual(version < '2025-06-18' ? '{"a":1}' : { a: 1 })
    await expect(client.call('bad')).rejects.toThrow(/^no$/)
    const refused = client.call('nope')
    await expect(refused).rejects.toThrow(RpcError)
    await expect(refused).rejects.toMatchObject({ code: -32602, message: 'Unknown tool: nope' })
  })

  test('sees what is sent besides answers', async () => {
    const client = connect(server, { version })
    await client.request('tools/call', {
      name: 'revision',
      _meta: { progressToken: 0, 'io.modelcontextprotocol/logLevel': 'info' },
    })
    expect(client.seen.map(m => ('method' in m ? m.method : undefined))).toEqual([
      'notifications/message',
      'notifications/progress',
    ])
  })

  test('answers questions, in the way of the era', async () => {
    const asked: string[] = []
    const answer = ({ method }: { method: string }): unknown => {
      asked.push(method)
      return { roots: [{ uri: 'file:///a' }] }
    }
    expect(await connect(curious(), { version, answer }).call('roots')).toBe('file:///a')
    expect(asked).toEqual(['roots/list'])
  })

  test('cannot be asked unless it is told how, or declares it', async () => {
    await expect(connect(curious(), { version }).call('roots')).rejects.toThrow(
      'This needs a client that supports roots',
    )
    const declared = connect(curious(), { version, answer: () => ({ roots: [] }), capabilities: {} })
    await expect(declared.call('roots')).rejects.toThrow('This needs a client that supports roots')
  })

  test('shakes hands once, before the first request', async () => {
    const client = connect(server, { version, strict: true })
    await Promise.all([client.call('two'), client.call('two'), client.request('tools/list')])
    expect(await client.call('two')).toBe('ab')
  })
})

test('speaks the newest revision unless told otherwise', async () => {
  expect(await connect(server).request('server/discover')).toMatchObject({ supportedVersions: versions })
})

test('hands over any text, and the answer’s', async () => {
  const client = connect(server)
  expect(JSON.parse((await client.raw('{"jsonrpc":"2.0","id":0,"method":"ping"}')) ?? '')).toEqual({
    jsonrpc: '2.0',
    id: 0,
    result: {},
  })
  expect(await client.raw('{"jsonrpc":"2.0","method":"notifications/nothing"}')).toBeUndefined()
})

test('many clients share a server and know nothing of each other', async () => {
  const clients = ALL.map(version => connect(server, { version }))
  await Promise.all(clients.map(client => client.call('two')))
  const listed = await Promise.all(clients.map(client => client.request('tools/list')))
  expect(listed.map(list => 'resultType' in list)).toEqual([false, false, false, false, true])
})
