import { Console } from 'node:console'
import { once } from 'node:events'
import { PassThrough, Readable, Writable } from 'node:stream'
import { createServer, serveStdio, tool } from '@causeway/engine'
import type { Context, Server, Tool } from '@causeway/engine'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { ask } from '../support/http-client.ts'
import type { ReceivedMessage } from '../support/peer.ts'
import { Pipe, Reader, settled } from '../support/pipe.ts'

const echo = tool({ name: 'echo', input: { type: 'object', properties: { word: { type: 'string' } } } }, given => ({
  content: [{ type: 'text', text: given.word ?? '' }],
}))

/** A tool that runs until the test lets it go. */
function held(): { tool: Tool; release: (value: string) => void; running: Promise<Context> } {
  let release = (_value: string): void => {}
  let start = (_ctx: Context): void => {}
  const value = new Promise<string>(resolve => (release = resolve))
  const running = new Promise<Context>(resolve => (start = resolve))
  const wait = tool({ name: 'wait' }, (_, ctx) => {
    start(ctx)
    return value
  })
  return { tool: wait, release, running }
}

const serverOf = (...tools: readonly Tool[]): Server =>
  createServer({ name: 'piped', version: '1.0.0' }).add(echo, ...tools)

const textOf = ({ result }: ReceivedMessage): unknown => (result?.content as { text: string }[] | undefined)?.[0]?.text
const ids = (said: readonly ReceivedMessage[]): unknown[] => said.map(({ id }) => id)

describe('a conversation', () => {
  test('handshake, list, call, end', async () => {
    const pipe = new Pipe(serverOf())
    expect(await pipe.initialize()).toMatchObject({ result: { protocolVersion: '2025-11-25' } })
    expect((await pipe.request(1, 'tools/list')).result?.tools).toHaveLength(1)
    expect(textOf(await pipe.call(2, 'echo', { word: 'hi' }))).toBe('hi')
    await pipe.end()
    expect(pipe.reader.text.endsWith('\n')).toBe(true)
    expect(ids(pipe.reader.said)).toEqual(['hello', 1, 2])
  })

  test('CRLF, blank lines, a byte order mark, one byte at a time, no newline at the end', async () => {
    const pipe = new Pipe(serverOf(), { lifecycle: 'lenient' })
    const sent = `\uFEFF${JSON.stringify(ask(1, 'ping'))}\r\n\r\n \n${JSON.stringify(ask('æ', 'ping'))}`
    for (const byte of Buffer.from(sent)) pipe.write(Buffer.from([byte]))
    await pipe.end()
    expect(ids(pipe.reader.said)).toEqual([1, 'æ'])
  })

  test('a thousand messages in one read, then the end', async () => {
    const pipe = new Pipe(serverOf(), { lifecycle: 'lenient' })
    pipe.send(...Array.from({ length: 1000 }, (_, id) => ask(id, 'tools/call', { name: 'echo', arguments: {} })))
    await pipe.end()
    expect(pipe.reader.said.filter(({ result }) => result)).toHaveLength(1000)
    expect(new Set(ids(pipe.reader.said)).size).toBe(1000)
  })

  test('a stream that ended with its first chunk', async () => {
    const sent = Array.from({ length: 1000 }, (_, id) => `${JSON.stringify(ask(id, 'ping'))}\n`).join('')
    const input = new Readable({
      read() {
        this.push(Buffer.from(sent))
        this.push(null)
      },
    })
    const reader = new Reader()
    await serveStdio(serverOf(), { input, output: reader.stream })
    expect(reader.said.filter(({ result }) => result)).toHaveLength(1000)
  })

  test('answers come as they are ready, not as they were asked', async () => {
    const { tool: wait, release } = held()
    const pipe = new Pipe(serverOf(wait), { lifecycle: 'lenient' })
    pipe.send(ask('slow', 'tools/call', { name: 'wait' }))
    await Promise.all(Array.from({ length: 200 }, (_, id) => pipe.call(id, 'echo')))
    release('at last')
    expect(textOf(await pipe.reader.answer('slow'))).toBe('at last')
    expect(ids(pipe.reader.said).at(-1)).toBe('slow')
    await pipe.end()
  })

  test('a line that cannot be taken is refused, and the next one served', async () => {
    const pipe = new Pipe(serverOf(), { lifecycle: 'lenient', maxLine: 1000 })
    pipe.write('x'.repeat(1001))
    expect(await pipe.reader.until(({ error }) => error !== undefined)).toEqual({
      jsonrpc: '2.0',
      id: null,
      error: {
        code: -32600,
        message: 'Invalid Request: a line may be at most 1000 bytes long',
        data: { maxBytes: 1000 },
      },
    })
    pipe.write('x\n')
    pipe.write(Buffer.from([0xff, 0x0a]))
    expect(await pipe.reader.until(({ error }) => error?.code === -32700)).toMatchObject({ id: null })
    expect(await pipe.request(1, 'ping')).toMatchObject({ result: {} })
    await pipe.end()
    expect(pipe.reader.said).toHaveLength(3)
  })

  test('an unreadable line is answered without an id where the revision has it so', async () => {
    const pipe = new Pipe(serverOf())
    await pipe.initialize('2025-11-25')
    pipe.write('{\n')
    expect(await pipe.reader.until(({ error }) => error !== undefined)).not.toHaveProperty('id')
    await pipe.end()
  })
})

/** A client that talks as fast as it is listened to, and counts how much it could say. */
function talker(lines: Iterable<string>): { input: Readable; said: () => number } {
  let said = 0
  const source = lines[Symbol.iterator]()
  const input = new Readable({
    highWaterMark: 64 * 1024,
    read() {
      let chunk = ''
      while (chunk.length < 64 * 1024) {
        const { value, done } = source.next()
        if (done) break
        chunk += value
      }
      said += chunk.length
      this.push(chunk === '' ? null : Buffer.from(chunk))
    },
  })
  return { input, said: () => said }
}

function* calls(count: number, word: string): Iterable<string> {
  for (let id = 0; id < count; id++) {
    yield `${JSON.stringify(ask(id, 'tools/call', { name: 'echo', arguments: { word } }))}\n`
  }
}

const MB = 1024 * 1024

describe('a client that does not read', () => {
  test('is not read from either; when it reads again, every answer comes', async () => {
    const count = 30_000
    const reader = new Reader()
    reader.shut()
    const { input, said } = talker(calls(count, 'x'.repeat(1000)))
    const done = serveStdio(serverOf(), { input, output: reader.stream, lifecycle: 'lenient' })
    while (!input.isPaused()) await settled()
    await settled()
    const stopped = said()
    expect(input.isPaused()).toBe(true)
    expect(stopped).toBeLessThan(3 * MB)
    expect(reader.stream.writableLength).toBeLessThan(3 * MB)
    await settled()
    expect(said()).toBe(stopped)
    reader.open()
    await done
    const answered = reader.said
    expect(answered.every(({ result }) => result)).toBe(true)
    expect(new Set(ids(answered)).size).toBe(count)
    expect(answered).toHaveLength(count)
  })

  test.each([10, 5000, 100_000])('is seen in time when lines are %i characters long', async length => {
    const reader = new Reader()
    reader.shut()
    const { input, said } = talker(calls(100 * (MB / length), 'x'.repeat(length)))
    const pipe = new Pipe(serverOf(), { lifecycle: 'lenient', input, drainMs: 1 }, reader)
    await settled()
    while (!input.isPaused()) await settled()
    expect(said()).toBeLessThan(8 * MB)
    expect(reader.stream.writableLength).toBeLessThan(8 * MB)
    input.destroy(new Error('enough'))
    await pipe.done
  })

  test('may stop and go on many times', async () => {
    const count = 20_000
    const reader = new Reader()
    const { input } = talker(calls(count, 'x'.repeat(500)))
    const done = serveStdio(serverOf(), { input, output: reader.stream, lifecycle: 'lenient' })
    for (let round = 0; round < 5; round++) {
      reader.shut()
      while (!input.isPaused()) await settled()
      reader.open()
    }
    await done
    expect(new Set(ids(reader.said)).size).toBe(count)
  })

  test('gets its answers even if it closed its side meanwhile', async () => {
    const pipe = new Pipe(serverOf(), { lifecycle: 'lenient' })
    pipe.reader.shut()
    const big = ask('big', 'tools/call', { name: 'echo', arguments: { word: 'x'.repeat(MB) } })
    pipe.send(big, ...Array.from({ length: 1000 }, (_, id) => ask(id, 'ping')))
    pipe.input.end()
    await settled()
    expect(pipe.isDone).toBe(false)
    pipe.reader.open()
    await pipe.done
    expect(pipe.reader.said.filter(({ result }) => result)).toHaveLength(1001)
  })

  test('is served on whatever the stream’s own high-water mark', async () => {
    const reader = new Reader({ highWaterMark: 64 * MB })
    reader.shut()
    const pipe = new Pipe(serverOf(), { lifecycle: 'lenient' }, reader)
    const word = 'x'.repeat(2 * MB)
    pipe.send(ask('big', 'tools/call', { name: 'echo', arguments: { word } }))
    while (reader.stream.writableLength === 0) await settled()
    pipe.send(ask('next', 'ping'))
    await settled()
    reader.open()
    expect(await reader.answer('next')).toMatchObject({ result: {} })
    await pipe.end()
  })

  test('an answer that fills the pipe in one turn does not stop the next', async () => {
    const pipe = new Pipe(serverOf(), { lifecycle: 'lenient' }, new Reader({ highWaterMark: 64 * MB }))
    const word = 'x'.repeat(2 * MB)
    pipe.send(...[1, 2, 3].map(id => ask(id, 'tools/call', { name: 'echo', arguments: { word } })), ask(4, 'ping'))
    expect(await pipe.reader.answer(4)).toMatchObject({ result: {} })
    await pipe.end()
  })
})

describe('what is in flight', () => {
  test('finishes after the end of the input', async () => {
    const { tool: wait, release, running } = held()
    const pipe = new Pipe(serverOf(wait), { lifecycle: 'lenient' })
    pipe.send(ask(1, 'tools/call', { name: 'wait' }))
    await running
    pipe.input.end()
    await settled()
    expect(pipe.isDone).toBe(false)
    release('done')
    await pipe.done
    expect(pipe.reader.said.map(textOf)).toEqual(['done'])
  })

  test('finishes after a signal, and nothing new is taken', async () => {
    const { tool: wait, release, running } = held()
    const stop = new AbortController()
    const pipe = new Pipe(serverOf(wait), { lifecycle: 'lenient', signal: stop.signal })
    pipe.send(ask(1, 'tools/call', { name: 'wait' }))
    await running
    stop.abort()
    await settled()
    expect(await pipe.call(2, 'echo')).toMatchObject({
      error: { code: -32600, message: 'The server is shutting down' },
    })
    expect(pipe.isDone).toBe(false)
    release('done')
    await pipe.done
    expect(textOf(await pipe.reader.answer(1))).toBe('done')
  })

  test('is cut off when it takes too long, and hears of it', async () => {
    const { tool: wait, running } = held()
    const pipe = new Pipe(serverOf(wait), { lifecycle: 'lenient', drainMs: 10 })
    pipe.send(ask(1, 'tools/call', { name: 'wait' }), ask(2, 'ping'))
    const { signal } = await running
    pipe.input.end()
    await pipe.done
    expect(signal.aborted).toBe(true)
    expect(String(signal.reason)).toContain('shutting down')
    expect(ids(pipe.reader.said)).toEqual([2])
  })

  test('is cut off on time even if nobody reads', async () => {
    const reader = new Reader()
    reader.shut()
    const pipe = new Pipe(serverOf(), { lifecycle: 'lenient', drainMs: 10 }, reader)
    pipe.send(ask(1, 'ping'))
    await pipe.end()
    expect(reader.text).toBe('')
  })

  test('a signal that came before the start ends at once', async () => {
    const pipe = new Pipe(serverOf(), { signal: AbortSignal.abort() })
    await pipe.done
    expect(pipe.reader.text).toBe('')
  })

  test('an error of the input ends like its end', async () => {
    const { tool: wait, release, running } = held()
    const pipe = new Pipe(serverOf(wait), { lifecycle: 'lenient' })
    pipe.send(ask(1, 'tools/call', { name: 'wait' }))
    await running
    pipe.input.destroy(new Error('EIO'))
    await settled()
    release('done')
    await pipe.done
    expect(pipe.reader.said.map(textOf)).toEqual(['done'])
  })

  test('is given up when the output breaks', async () => {
    const { tool: wait, running } = held()
    const broken = new Writable({ write: (_chunk, _encoding, done) => done(new Error('EPIPE')) })
    const reader = new Reader()
    const pipe = new Pipe(serverOf(wait), { lifecycle: 'lenient', output: broken }, reader)
    pipe.send(ask(1, 'tools/call', { name: 'wait' }))
    const { signal } = await running
    pipe.send(ask(2, 'ping'))
    await pipe.done
    expect(signal.aborted).toBe(true)
    expect(String(signal.reason)).toContain('The client is gone')
  })
})

describe('a client that went away', () => {
  test.each([new Error('EPIPE'), undefined])('is not waited for, although much was left to say: %s', async error => {
    const pipe = new Pipe(serverOf(), { lifecycle: 'lenient' })
    pipe.reader.shut()
    const big = ask('big', 'tools/call', { name: 'echo', arguments: { word: 'x'.repeat(2 * MB) } })
    pipe.send(big, ...Array.from({ length: 1000 }, (_, id) => ask(id, 'ping')))
    pipe.input.end()
    await settled()
    expect(pipe.isDone).toBe(false)
    pipe.reader.stream.destroy(error)
    await pipe.done
    expect(pipe.reader.text).toBe('')
  })

  test('ends the service although its input is still open', async () => {
    const pipe = new Pipe(serverOf(), { lifecycle: 'lenient' })
    await pipe.call(1, 'echo')
    pipe.reader.stream.destroy()
    await pipe.done
    expect(pipe.input.listenerCount('data')).toBe(0)
  })
})

const FORM = { message: 'Who?', schema: { type: 'object', properties: { name: { type: 'string' } } } } as const

describe('questions to the client', () => {
  const greeter = tool({ name: 'greet' }, async (_, ctx) => {
    const answer = await ctx.elicit('who', FORM)
    return answer.action === 'accept' ? `Hello ${answer.content.name}` : 'Hello'
  })
  const isQuestion = ({ method }: ReceivedMessage): boolean => method === 'elicitation/create'

  test('go out and are answered on the same pipe', async () => {
    const pipe = new Pipe(serverOf(greeter))
    await pipe.initialize('2025-11-25', { elicitation: {} })
    pipe.send(ask(1, 'tools/call', { name: 'greet' }))
    const { id } = await pipe.reader.until(isQuestion)
    pipe.send({ jsonrpc: '2.0', id, result: { action: 'accept', content: { name: 'Ada' } } })
    expect(textOf(await pipe.reader.answer(1))).toBe('Hello Ada')
    await pipe.end()
  })

  test('are over at the end of the input: the handler hears it, and its answer still goes out', async () => {
    const pipe = new Pipe(serverOf(greeter))
    await pipe.initialize('2025-11-25', { elicitation: {} })
    pipe.send(ask(1, 'tools/call', { name: 'greet' }))
    await pipe.reader.until(isQuestion)
    await pipe.end()
    const answer = await pipe.reader.answer(1)
    expect(answer.result).toMatchObject({ isError: true })
    expect(textOf(answer)).toContain('The client closed its side')
  })

  test('asked after the end of the input are refused at once', async () => {
    const { tool: wait, release, running } = held()
    const late = tool({ name: 'late' }, async (_, ctx) => {
      await running
      await settled()
      return (await ctx.elicit('who', FORM)).action
    })
    const pipe = new Pipe(serverOf(wait, late))
    await pipe.initialize('2025-11-25', { elicitation: {} })
    pipe.send(ask(1, 'tools/call', { name: 'late' }), ask(2, 'tools/call', { name: 'wait' }))
    await running
    pipe.input.end()
    expect((await pipe.reader.answer(1)).result).toMatchObject({ isError: true })
    release('')
    await pipe.done
    expect(pipe.reader.said.some(isQuestion)).toBe(false)
  })

  test('get their answer through although 64 million characters are in flight', async () => {
    const { tool: wait, release } = held()
    const pipe = new Pipe(serverOf(wait, greeter))
    await pipe.initialize('2025-11-25', { elicitation: {} })
    const ballast = 'x'.repeat(9 * MB)
    for (let id = 10; id < 18; id++) {
      pipe.send(ask(id, 'tools/call', { name: 'wait', arguments: { ballast } }))
      await settled()
    }
    pipe.send(ask(1, 'tools/call', { name: 'greet' }))
    await settled()
    expect(pipe.input.isPaused()).toBe(true)
    expect(pipe.reader.said.some(isQuestion)).toBe(false)
    release('')
    const { id } = await pipe.reader.until(isQuestion)
    pipe.send({ jsonrpc: '2.0', id, result: { action: 'decline' } })
    expect(textOf(await pipe.reader.answer(1))).toBe('Hello')
    await pipe.end()
    expect(pipe.reader.said.filter(({ result }) => result)).toHaveLength(10)
  })

  test('open before too much is held keep the pipe open for their answer', async () => {
    const { tool: wait, release } = held()
    const pipe = new Pipe(serverOf(wait, greeter))
    await pipe.initialize('2025-11-25', { elicitation: {} })
    pipe.send(ask(1, 'tools/call', { name: 'greet' }))
    const { id } = await pipe.reader.until(isQuestion)
    const ballast = 'x'.repeat(9 * MB)
    for (let id = 10; id < 18; id++) pipe.send(ask(id, 'tools/call', { name: 'wait', arguments: { ballast } }))
    pipe.send({ jsonrpc: '2.0', id, result: { action: 'decline' } })
    expect(textOf(await pipe.reader.answer(1))).toBe('Hello')
    release('')
    await pipe.end()
  })
})

describe('what comes before the handshake', () => {
  const refusal = { code: -32600, message: 'Server not initialized. Send initialized notification first.' }

  test('is refused, unless it is a ping', async () => {
    const pipe = new Pipe(serverOf())
    expect(await pipe.request(1, 'ping')).toMatchObject({ result: {} })
    expect(await pipe.call(2, 'echo')).toMatchObject({ error: refusal })
    await pipe.request(3, 'initialize', { protocolVersion: '2025-11-25', capabilities: {} })
    expect(await pipe.call(4, 'echo')).toMatchObject({ error: refusal })
    pipe.send({ jsonrpc: '2.0', method: 'notifications/initialized' })
    expect(await pipe.call(5, 'echo')).toMatchObject({ result: {} })
    expect(await pipe.request(6, 'initialize', {})).toMatchObject({
      error: { code: -32600, message: 'Already initialized' },
    })
    await pipe.end()
  })

  test('is served if the service is lenient', async () => {
    const pipe = new Pipe(serverOf(), { lifecycle: 'lenient' })
    expect(await pipe.call(1, 'echo', { word: 'early' })).toMatchObject({ result: {} })
    await pipe.end()
  })

  test('is served if it describes itself', async () => {
    const pipe = new Pipe(serverOf())
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    const answer = await pipe.request(1, 'tools/call', { name: 'echo', arguments: { word: 'hi' }, _meta })
    expect(answer.result).toMatchObject({ resultType: 'complete' })
    await pipe.end()
  })
})

describe('a tool’s name as a method', () => {
  test('is a direct call where that is allowed', async () => {
    const pipe = new Pipe(serverOf(), { lifecycle: 'lenient', direct: true })
    expect(await pipe.request(1, 'echo', { word: 'bare' })).toEqual({ jsonrpc: '2.0', id: 1, result: 'bare' })
    expect(await pipe.request(2, 'eco')).toMatchObject({ error: { code: -32601 } })
    await pipe.end()
  })

  test('is unknown otherwise', async () => {
    const pipe = new Pipe(serverOf(), { lifecycle: 'lenient' })
    expect(await pipe.request(1, 'echo', {})).toMatchObject({ error: { code: -32601 } })
    await pipe.end()
  })
})

describe('[S-STD-02] standard output', () => {
  afterEach(() => void vi.restoreAllMocks())

  test('carries the protocol only while it is served on, and is given back after', async () => {
    const seen = { out: '', err: '' }
    const take = (where: 'out' | 'err') =>
      ((text: string | Uint8Array, _encoding?: unknown, done?: () => void) => {
        seen[where] += String(text)
        done?.()
        return true
      }) as typeof process.stdout.write
    vi.spyOn(process.stderr, 'write').mockImplementation(take('err'))
    const own = vi.spyOn(process.stdout, 'write').mockImplementation(take('out'))
    const noisy = tool({ name: 'noisy' }, () => {
      process.stdout.write('stray\n')
      new Console(process.stdout).log('stray %d', 2)
      return 'quiet'
    })
    const { input } = talker([`${JSON.stringify(ask(1, 'tools/call', { name: 'noisy' }))}\n`])
    await serveStdio(serverOf(noisy), { input, lifecycle: 'lenient' })
    expect(process.stdout.write).toBe(own)
    expect(JSON.parse(seen.out)).toMatchObject({ id: 1, result: { content: [{ text: 'quiet' }] } })
    expect(seen.err).toBe('stray\nstray 2\n')
  })
})

test('a stream that ends before it began is no trouble', async () => {
  const input = Readable.from([])
  const reader = new Reader()
  await serveStdio(serverOf(), { input, output: reader.stream })
  expect(reader.text).toBe('')
  expect(input.listenerCount('data')).toBe(0)
  if (!input.closed) await once(input, 'close')
})

test('a large answer leaves in pieces, whole and in order, also where a character takes two units', async () => {
  const words = `a${'😀é'.repeat(60_000)}`
  const server = createServer({ name: 'large', version: '1' }).add(
    tool({ name: 'large' }, () => words),
    tool({ name: 'small' }, () => 'small'),
  )
  const input = new PassThrough()
  const pieces: Buffer[] = []
  const output = new Writable({
    highWaterMark: 1,
    write(chunk: Buffer, _encoding, done) {
      pieces.push(chunk)
      setImmediate(done)
    },
  })
  const served = serveStdio(server, { input, output, lifecycle: 'lenient' })
  const call = (id: number, name: string): string =>
    `${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name } })}\n`
  input.end(call(1, 'large') + call(2, 'small') + call(3, 'large'))
  await served
  const answers = Buffer.concat(pieces)
    .toString()
    .trim()
    .split('\n')
    .map(line => JSON.parse(line) as { id: number; result: { content: [{ text: string }] } })
  expect(answers.map(({ id, result }) => [id, result.content[0].text])).toEqual([
    [1, words],
    [2, 'small'],
    [3, words],
  ])
  expect(pieces.length).toBeGreaterThan(20)
})
