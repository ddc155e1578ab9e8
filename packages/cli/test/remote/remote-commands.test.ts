import { createServer as createListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createServer, prompt, resource, tool } from '@causeway/engine'
import { bearerTokens, newToken, serveHttp } from '@causeway/engine/http'
import type { HttpService } from '@causeway/engine/http'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { BINARY } from '../../../../test/support/spawned.ts'
import { logLine } from '../../src/remote/open-server.ts'
import { runHere } from '../support/here.ts'

const weather = createServer({ name: 'weather', version: '1.0.0' }).add(
  tool(
    {
      name: 'forecast',
      description: 'The weather in a city',
      input: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    },
    ({ city }) => {
      if (city === '42') return { city, celsius: 20 }
      throw new Error(`There is no city ${city}`)
    },
  ),
  prompt({ name: 'greet', arguments: [{ name: 'who' }] }, ({ who = 'you' }) => `Hello, ${who}!`),
  resource({ uri: 'weather://today', name: 'today' }, () => 'sunny'),
)

let open: HttpService
let closed: HttpService
const urlOf = (service: HttpService): string => `http://127.0.0.1:${service.port}/mcp`
const { token: TOKEN, line: LINE } = newToken('ada')

beforeAll(async () => {
  open = await serveHttp(weather, { port: 0 })
  closed = await serveHttp(weather, { port: 0, authenticator: bearerTokens(LINE) })
})
afterAll(() => Promise.all([open.close(), closed.close()]))
afterEach(() => void vi.unstubAllEnvs())

const at = (...words: string[]): ReturnType<typeof runHere> => runHere([...words, '--url', urlOf(open)])

describe('a server at a URL', () => {
  test('is listed, described and called', async () => {
    expect(await at('list')).toEqual({ code: 0, stdout: 'forecast  The weather in a city\n', stderr: '' })
    expect((await at('describe', 'forecast')).stdout).toContain('city  string, required')
    // The schema says text, so the number stays text.
    expect(await at('call', 'forecast', 'city=42')).toMatchObject({ code: 0, stdout: '{"city":"42","celsius":20}\n' })
  })

  test('gives its whole result with --json, failures too', async () => {
    const { code, stdout } = await at('call', 'forecast', '--args', '{"city":"Oz"}', '--json')
    expect(code).toBe(1)
    expect(JSON.parse(stdout)).toMatchObject({ isError: true, content: [{ text: 'There is no city Oz' }] })
    expect(await at('call', 'forecast', 'city=Oz')).toEqual({ code: 1, stdout: '', stderr: 'There is no city Oz\n' })
  })

  test('has prompts and resources', async () => {
    expect(await at('list', 'prompts')).toMatchObject({ code: 0, stdout: 'greet\n' })
    expect(await at('list', 'templates')).toMatchObject({ code: 0, stdout: 'None.\n' })
    expect(await at('prompt', 'greet', 'who=Ada')).toMatchObject({ code: 0, stdout: 'user: Hello, Ada!\n' })
    expect(await at('read', 'weather://today')).toMatchObject({ code: 0, stdout: 'sunny\n' })
  })

  test.each([
    [['read', 'weather://never'], 1, 'weather://never'],
    [['prompt', 'gret'], 2, "Unknown prompt 'gret'. Did you mean 'greet'?"],
    [['call', 'forecats', 'city=Oslo'], 1, 'forecats'],
    [['call', 'forecast', '{"city":"Oslo"}'], 2, 'A JSON object is given by --args.'],
    [['list', 'tols'], 2, "Did you mean 'tools'?"],
    [['list', '--command', 'x'], 2, '--url and --command exclude each other.'],
  ])('%j ends with %i', async (words, code, said) => {
    const outcome = await at(...words)
    expect(outcome.stderr).toContain(said)
    expect(outcome.code).toBe(code)
  })
})

describe('a server with tokens', () => {
  test('asks for one, and takes it from the environment', async () => {
    const refused = await runHere(['list', '--url', urlOf(closed)])
    expect(refused).toMatchObject({ code: 7, stderr: expect.stringContaining('--token-env NAME') })
    vi.stubEnv('WEATHER_TOKEN', TOKEN)
    const words = ['list', '--url', urlOf(closed)]
    expect(await runHere([...words, '--token-env', 'WEATHER_TOKEN'])).toMatchObject({ code: 0, stderr: '' })
    expect(await runHere([...words, '--header', `Authorization: Bearer ${TOKEN}`])).toMatchObject({ code: 0 })
  })

  test.each([
    [['--token-env', 'NO_SUCH_TOKEN'], 'NO_SUCH_TOKEN is not set'],
    [['--header', `Bearer ${TOKEN}`], '--header is written "NAME: VALUE"'],
    [['--header', `X: a\nY: ${TOKEN}`], '--header is written "NAME: VALUE"'],
  ])('%j', async (words, said) => {
    const { code, stderr } = await runHere(['list', '--url', urlOf(closed), ...words])
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(said) })
    expect(stderr).not.toContain(TOKEN)
  })
})

describe('a server that cannot be used', () => {
  test.each([
    [['--url', 'http://127.0.0.1:1/mcp'], 6, 'ECONNREFUSED'],
    [['--url', 'ftp://example.com'], 2, '--url must be an address'],
    [['--url', 'https://ada:secret@example.com/mcp'], 2, '--url must not hold a password'],
    [['--command', 'no-such-program-of-anybody'], 6, 'could not be started'],
    [['--command', '"x'], 2, '--command has an unclosed "'],
  ])('%j ends with %i', async (words, code, said) => {
    const outcome = await runHere(['list', ...words])
    expect(outcome.stderr).toContain(said)
    expect(outcome.stderr).not.toContain('secret')
    expect(outcome.code).toBe(code)
  })
})

test('a command is started, used and ended', async () => {
  const line = `'${process.execPath}' '${BINARY}' --pack basics --log-level silent`
  expect(await runHere(['call', 'add_numbers', 'number1=5', 'number2=3', '--command', line])).toMatchObject({
    code: 0,
    stdout: '{"result":8}\n',
  })
})

describe('a server that does harm', () => {
  type Sent = {
    readonly id?: unknown
    readonly method?: string
    readonly params?: { readonly protocolVersion?: string }
  }
  const [capabilities, serverInfo] = [{ tools: {} }, { name: 'x', version: '1' }]

  /** A server whose answers to `tools/list` a function gives. */
  async function hostile(list: () => object): Promise<{ url: string; close: () => void }> {
    const answerTo = ({ method, params }: Sent): object => {
      if (method === 'tools/list') return list()
      if (method !== 'initialize') return { error: { code: -32601, message: 'Method not found' } }
      return { result: { protocolVersion: params?.protocolVersion, capabilities, serverInfo } }
    }
    const listener = createListener((request, response) => {
      let body = ''
      request.on('data', (chunk: Buffer) => (body += chunk.toString()))
      request.on('end', () => {
        const sent = (body === '' ? {} : JSON.parse(body)) as Sent
        const isAsked = sent.id !== undefined
        response.writeHead(isAsked ? 200 : body === '' ? 405 : 202, { 'content-type': 'application/json' })
        response.end(isAsked ? JSON.stringify({ jsonrpc: '2.0', id: sent.id, ...answerTo(sent) }) : '')
      })
    })
    await new Promise<void>(resolve => void listener.listen(0, '127.0.0.1', resolve))
    const { port } = listener.address() as AddressInfo
    return { url: `http://127.0.0.1:${port}/mcp`, close: () => listener.close().closeAllConnections() }
  }
  const listing = (tools: unknown, nextCursor?: string): object => ({ result: { tools, nextCursor } })

  test('with entries that are no tools, or more than a call has arguments', async () => {
    const items = [null, 5, {}, { name: 5 }, { name: 'good' }, ...Array.from({ length: 100_000 }, () => ({}))]
    const { url, close } = await hostile(() => listing(items))
    expect(await runHere(['list', '--url', url])).toMatchObject({ code: 0, stdout: 'good\n', stderr: '' })
    close()
  })

  test('with a list that goes on, a page of megabytes at a time', async () => {
    let pages = 0
    const page = [{ name: 'big', description: 'x'.repeat(8_000_000) }]
    const { url, close } = await hostile(() => listing(page, String((pages += 1))))
    const { code, stderr } = await runHere(['list', '--url', url])
    expect({ code, stderr }).toMatchObject({ code: 6, stderr: expect.stringContaining('too long') })
    expect(pages).toBeLessThan(12)
    close()
  })

  test('with an error of megabytes', async () => {
    const { url, close } = await hostile(() => ({ error: { code: -1, message: 'x'.repeat(1_000_000) } }))
    const { code, stderr } = await runHere(['list', '--url', url])
    expect(code).toBe(1)
    expect(stderr.length).toBeLessThan(5000)
    close()
  })

  test('with messages that look like lines of ours', () => {
    expect(logLine({ level: 'info\ncauseway: ok', logger: 'a\r\nb', data: 'c\n\nd' })).toBe(
      'info causeway: ok a b: c d',
    )
  })
})
