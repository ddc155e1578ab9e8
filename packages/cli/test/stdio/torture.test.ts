import { afterAll, describe, expect, test } from 'vitest'
import { Spawned } from '../../../../test/support/spawned.ts'
import type { Said } from '../../../../test/support/spawned.ts'

const MB = 1024 * 1024
const PARSE = -32700
const INVALID = -32600

const request = (id: string, method: string, params: string): string =>
  `{"jsonrpc":"2.0","id":"${id}","method":"${method}","params":${params}}\n`
const echo = (id: string, message: string): string =>
  request(id, 'tools/call', `{"name":"system_echo","arguments":{"message":${message}}}`)
const nested = (open: string, close: string, depth: number): string => open.repeat(depth) + close.repeat(depth)
const bytes = (text: string): Buffer => Buffer.from(text, 'latin1')
const keys = (count: number): string => Array.from({ length: count }, (_, i) => `"k${i}":${i}`).join(',')

/** What is written, and the code of the error it must be answered with, if it is an error. */
const hostile: [name: string, sent: string | Uint8Array, code?: number][] = [
  ['words', 'GET / HTTP/1.1\n', PARSE],
  ['NUL bytes', '\0\0\0\0\n', PARSE],
  ['a NUL byte in a message', '{"jsonrpc":"2.0","id":1,\0"method":"ping"}\n', PARSE],
  ['bytes that are not UTF-8', bytes('\xff\xfe{"jsonrpc":"2.0"}\n'), PARSE],
  ['an overlong encoding', bytes('{"jsonrpc":"2.0","id":"\xc0\xaf","method":"ping"}\n'), PARSE],
  ['half a character', bytes('"\xf0\x9f\x8c"\n'), PARSE],
  ['a hundred thousand brackets', `${nested('[', ']', 100_000)}\n`, PARSE],
  ['a hundred thousand braces', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}\n`, PARSE],
  ['nine megabytes of brackets that never close', `${'['.repeat(9 * MB)}\n`, PARSE],
  ['deep arguments', echo('deep', nested('[', ']', 100_000)), PARSE],
  ['half a message', '{"jsonrpc":"2.0","id":1,"meth\n', PARSE],
  ['two messages on a line', '{"jsonrpc":"2.0","id":1,"method":"ping"}{"jsonrpc":"2.0"}\n', PARSE],
  ['a line of fifty megabytes', Buffer.alloc(50 * MB, 'x'), INVALID],
  ['more of it, and its end', `${'y'.repeat(MB)}\n`],
  ['a string of twenty megabytes', `"${'x'.repeat(20 * MB)}"\n`, INVALID],
  ['a batch too long', `[${Array.from({ length: 100_000 }, () => '{}').join(',')}]\n`, INVALID],
  ['five million blank lines', '\r\n'.repeat(5 * MB)],
  ['a carriage return alone', '\r'],
  ['numbers nobody can hold', '{"jsonrpc":"2.0","id":1e999,"method":"ping"}\n', INVALID],
  ['a name of nine megabytes', request('name', 'x'.repeat(9 * MB), '{}'), -32601],
  ['a method that is a prototype', request('proto', '__proto__', '{}'), -32601],
  ['an answer to nothing', '{"jsonrpc":"2.0","id":"causeway-1","result":{"__proto__":{"x":1}}}\n'],
]

/** What is written, under which id, and what the text of the answer has in it. */
const odd: [name: string, sent: string, id: string, answer: string][] = [
  ['letters that end lines elsewhere', echo('ends', '"\u2028\u2029\u0085"'), 'ends', '\u2028\u2029\u0085'],
  ['newlines in a string', echo('lines', '"a\\nb\\r\\nc"'), 'lines', 'a\\nb\\r\\nc'],
  ['half a surrogate pair', echo('half', '"\\ud800"'), 'half', '\\ud800'],
  ['a thousand levels', echo('levels', nested('[', ']', 996)), 'levels', nested('[', ']', 996)],
  ['a prototype as a member', echo('member', '{"__proto__":{"polluted":1}}'), 'member', '"__proto__":{"polluted":1}'],
  ['four megabytes', echo('large', `"${'ø'.repeat(2 * MB)}"`), 'large', 'øø'],
  [
    'twenty thousand arguments nobody knows',
    request('keys', 'tools/call', `{"name":"add_numbers","arguments":{${keys(20_000)}}}`),
    'keys',
    "Missing required parameter 'number1'",
  ],
]

const textOf = ({ result }: Said): unknown => (result?.content as { text: string }[] | undefined)?.[0]?.text

describe('whatever comes, the next good call is answered', () => {
  const server = new Spawned(['--rate-limit', 'off', '--lifecycle', 'lenient', '--log-level', 'warn'])
  afterAll(() => void server.process.kill('SIGKILL'))
  let calls = 0

  async function isAnswering(): Promise<boolean> {
    const number = ++calls
    const answer = await server.call(`good-${number}`, 'add_numbers', { number1: number, number2: 1 })
    return textOf(answer) === `{"result":${number + 1}}`
  }

  test.each(hostile)('%s', async (_, sent, code) => {
    const before = server.lines.length
    server.write(sent)
    if (code !== undefined) await server.until(() => server.lines[before])
    const refusal = server.lines.slice(before).map(line => (JSON.parse(line) as Said).error?.code)
    expect(refusal).toEqual(code === undefined ? [] : [code])
    // A line that has not ended is ended by the next newline.
    if (!String(sent.at(-1)).match(/\n|10/)) server.write('\n')
    expect(await isAnswering()).toBe(true)
  })

  test.each(odd)('%s', async (_, sent, id, part) => {
    server.write(sent)
    expect(textOf(await server.answer(id))).toContain(part)
    expect(await isAnswering()).toBe(true)
  })

  test('a message in two halves', async () => {
    const message = request('halves', 'ping', '{}')
    await new Promise(done => void server.process.stdin.write(message.slice(0, 20), done))
    server.write(message.slice(20))
    expect(await server.answer('halves')).toMatchObject({ result: {} })
    expect(await isAnswering()).toBe(true)
  })

  test('a thousand bad lines among a thousand good ones', async () => {
    const before = server.lines.length
    const bad = ['{', '\xff', '[]', '{"jsonrpc":"2.0","id":1.5,"method":"ping"}', 'x'.repeat(5000)]
    const lines = Array.from({ length: 1000 }, (_, i) =>
      bytes(`${bad[i % bad.length]}\n${request(`mix-${i}`, 'ping', '{}')}`),
    )
    server.write(Buffer.concat(lines))
    await server.answer('mix-999')
    const said = server.said.slice(before) as Said[]
    expect(said.filter(({ error }) => error)).toHaveLength(1000)
    expect(new Set(said.filter(({ result }) => result).map(({ id }) => id)).size).toBe(1000)
    expect(await isAnswering()).toBe(true)
  })

  test('one id for a hundred calls', async () => {
    const before = server.lines.length
    server.write(request('same', 'tools/call', '{"name":"system_ping"}').repeat(100))
    await server.until(() => server.lines[before + 99])
    expect(await isAnswering()).toBe(true)
  })

  test('nothing but the protocol was said, memory stayed within bounds, and the end is quiet', async () => {
    const peak = server.peak()
    server.write('{"jsonrpc":"2.0","id":"cut o')
    expect(await server.end()).toEqual({ code: 0, signal: null })
    expect(server.rest).toBe('')
    const said = server.said.flat()
    expect(said.every(({ jsonrpc }) => jsonrpc === '2.0')).toBe(true)
    expect(said.every(message => 'result' in message !== 'error' in message)).toBe(true)
    expect(said.at(-1)?.error?.code).toBe(PARSE)
    // A slow machine may say that something took long; nothing else is said.
    const logged = server.stderr.split('\n').filter(line => line !== '' && !line.includes('blocked the event loop'))
    expect(logged).toEqual([])
    expect(peak).toBeLessThan(400)
  })
})
