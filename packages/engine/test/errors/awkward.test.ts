import { Writable } from 'node:stream'
import { runInNewContext } from 'node:vm'
import { createServer, prompt, resource, serveStdio, tool } from '@causeway/engine'
import { concurrency } from '@causeway/engine/policies'
import { connect } from '@causeway/engine/testing'
import type { Policy, Server, Tool } from '@causeway/engine'
import { describe, expect, test } from 'vitest'
import { Gates } from '../support/gates.ts'
import { ask } from '../support/http-client.ts'
import { Pipe } from '../support/pipe.ts'

const serving = (...tools: readonly Tool[]): Server => createServer({ name: 's', version: '1' }).add(...tools)
const words = (text: string): object => ({ content: [{ type: 'text', text }] })

/** Something with a `then` that is no promise of ours. */
function thenable(value: unknown): never {
  const lazy = {}
  Reflect.set(lazy, 'then', (done: (v: unknown) => void) => setImmediate(done, value))
  return lazy as never
}

describe('promises of another kind are waited for', () => {
  test('of a tool: a thenable, and a promise of another realm', async () => {
    const foreign: () => never = runInNewContext(`async () => 'from elsewhere'`) as () => never
    const client = connect(
      serving(
        tool({ name: 'lazy' }, () => thenable('at last')),
        tool({ name: 'far' }, foreign),
      ),
    )
    expect(await client.request('tools/call', { name: 'lazy' })).toMatchObject(words('at last'))
    expect(await client.request('tools/call', { name: 'far' })).toMatchObject(words('from elsewhere'))
  })

  test('of a prompt and a resource', async () => {
    const server = createServer({ name: 's', version: '1' }).add(
      prompt({ name: 'p' }, () => thenable('asked')),
      resource({ uri: 'x://y', name: 'y' }, () => thenable('read')),
    )
    const client = connect(server)
    expect(await client.request('prompts/get', { name: 'p' })).toMatchObject({
      messages: [{ content: { text: 'asked' } }],
    })
    expect(await client.request('resources/read', { uri: 'x://y' })).toMatchObject({ contents: [{ text: 'read' }] })
  })

  test('of a policy, also by the policies around it', async () => {
    const lazy: Policy = (call, next) => thenable(next(call))
    const server = serving(tool({ name: 't' }, () => 'ok')).use(concurrency({ running: 1, waiting: 0 }), lazy)
    const client = connect(server)
    const outcomes = await Promise.allSettled([1, 2].map(() => client.request('tools/call', { name: 't' })))
    expect(outcomes).toMatchObject([{ value: words('ok') }, { reason: { code: -32004 } }])
  })
})

test.each<[string, unknown]>([
  [
    'writes itself with an error',
    {
      toJSON: () => {
        throw new Error('no')
      },
    },
  ],
  [
    'cannot be looked at',
    Object.defineProperty({}, 'message', {
      enumerable: true,
      get: () => {
        throw new Error('no')
      },
    }),
  ],
  ['says a symbol', Object.assign(new Error('x'), { message: Symbol('x') })],
  ['is nothing', undefined],
])('whatever is thrown there is an answer: what %s', async (_, thrown) => {
  const fails = (): never => {
    throw thrown
  }
  const server = createServer({
    name: 's',
    version: '1',
    log: (...line) => void JSON.stringify(line),
  }).add(
    tool({ name: 'now' }, fails),
    tool({ name: 'later' }, async () => fails()),
  )
  const pipe = new Pipe(server)
  await pipe.initialize()
  for (const name of ['now', 'later']) {
    const { result, error } = await pipe.call(name, name)
    expect(result?.isError ?? error?.code).toSatisfy((outcome: unknown) => outcome === true || outcome === -32603)
  }
  expect(await pipe.request('after', 'ping')).toMatchObject({ result: {} })
  await pipe.end()
})

test('a log that cannot be written changes no answer', async () => {
  const log = (): never => {
    throw new Error('The disk is full')
  }
  const broken = tool({ name: 'broken' }, () => {
    throw new Error('It broke')
  })
  const client = connect(createServer({ name: 's', version: '1', log }).add(broken))
  expect(await client.request('tools/call', { name: 'broken' })).toMatchObject({ ...words('It broke'), isError: true })
  await expect(client.request('nonsense')).rejects.toMatchObject({ code: -32601 })
})

test.each([() => () => {}, () => Symbol('x')])(
  'what JSON cannot express is a fault of the tool, not an odd block',
  async make => {
    const client = connect(serving(tool({ name: 't' }, make as never)))
    expect(await client.request('tools/call', { name: 't' })).toMatchObject({
      isError: true,
      content: [{ type: 'text', text: expect.stringMatching(/^Internal error \(reference/) }],
    })
  },
)

test('an id used twice at once: cancelling it cancels both', async () => {
  const gates = new Gates()
  const stopped: string[] = []
  const input = { type: 'object', properties: { key: { type: 'string' } }, required: ['key'] } as const
  const hold = tool({ name: 'hold', input }, async ({ key }, ctx) => {
    ctx.signal.addEventListener('abort', () => stopped.push(key))
    await gates.pass(key, ctx.signal)
    return key
  })
  const pipe = new Pipe(serving(hold))
  await pipe.initialize()
  for (const key of ['a', 'b']) pipe.send(ask(1, 'tools/call', { name: 'hold', arguments: { key } }))
  await Promise.all(['a', 'b'].map(key => gates.entered(key)))
  pipe.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } })
  await pipe.request('after', 'ping')
  await pipe.end()
  expect(stopped).toEqual(['a', 'b'])
  expect(pipe.reader.said.filter(({ id }) => id === 1)).toEqual([])
})

test('an answer leaves after the messages that precede it, not with them', async () => {
  const steps = tool({ name: 'steps' }, (_, ctx) => {
    for (const step of [1, 2, 3]) ctx.progress(step)
    return 'done'
  })
  const writes: string[] = []
  const output = new Writable({
    write(chunk, _, done) {
      writes.push(String(chunk))
      done()
    },
  })
  const input = new Pipe(serving()).input
  const done = serveStdio(serving(steps), { input, output, lifecycle: 'lenient' })
  const params = { name: 'steps', _meta: { progressToken: 'p' } }
  input.end(`${JSON.stringify(ask(1, 'tools/call', params))}\n`)
  await done
  expect(writes.map(text => text.split('\n').length - 1)).toEqual([3, 1])
  expect(writes[1]).toContain('"id":1')
})
