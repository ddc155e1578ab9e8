import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createServer, tool, versions } from '@causeway/engine'
import type { Server } from '@causeway/engine'
import { serveHttp } from '@causeway/engine/http'
import { connect } from '@causeway/engine/testing'
import { describe, expect, onTestFinished, test } from 'vitest'
import { mockServer } from '../../src/transcript/mock-server.ts'
import { readTranscript } from '../../src/transcript/transcript.ts'
import { needs } from '../../../../test/support/needs.ts'
import { runHere } from '../support/here.ts'

const root = fileURLToPath(new URL('../../../../', import.meta.url))
const BIN = join(root, 'packages/cli/bin/causeway.js')
const BUILT = needs('npm run build', existsSync(join(root, 'packages/cli/dist/main.js')))
const newest = versions[0] ?? ''
const stateful = versions.filter(version => version !== newest)
const folder = (): string => mkdtempSync(join(tmpdir(), 'causeway-transcript-'))

/** A server whose answers have times and ids in them. */
function subject(word = 'sum'): Server {
  const numbers = { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } } } as const
  return createServer({ name: 'subject', version: '1', log: false }).add(
    tool({ name: 'add', input: numbers }, ({ a = 0, b = 0 }, ctx) => {
      ctx.progress(1, 'adding')
      return `${word} ${a + b} at ${new Date().toISOString()} as ${crypto.randomUUID()}`
    }),
    tool({ name: 'name' }, async (_, ctx) => {
      const schema = { type: 'object', properties: { name: { type: 'string' } } } as const
      return `Hello ${JSON.stringify(await ctx.elicit('name', { message: 'Your name?', schema }))}`
    }),
  )
}

async function served(server: Server): Promise<string> {
  const service = await serveHttp(server, { port: 0, drainMs: 10 })
  onTestFinished(() => service.close())
  return `${service.url}/mcp`
}

type Line = { readonly id?: unknown; readonly method?: string; readonly result?: { readonly requestState?: string } }

/** A client of the recorder, a message at a time. */
class Talk {
  readonly #child
  readonly #lines: Line[] = []

  constructor(args: readonly string[]) {
    this.#child = spawn(process.execPath, [BIN, ...args], { stdio: ['pipe', 'pipe', 'ignore'] })
    onTestFinished(() => void this.#child.kill())
    let rest = ''
    this.#child.stdout.setEncoding('utf8').on('data', (text: string) => {
      const lines = (rest + text).split('\n')
      rest = lines.pop() ?? ''
      this.#lines.push(...lines.map(line => JSON.parse(line) as Line))
    })
  }

  send(message: object): void {
    this.#child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  }

  async until(fits: (line: Line) => boolean): Promise<Line> {
    await eventually(() => this.#lines.some(fits))
    return this.#lines.find(fits) as Line
  }

  async ask(id: number, method: string, params: object = {}): Promise<Line> {
    this.send({ id, method, params })
    return this.until(line => line.id === id && line.method === undefined)
  }

  async end(): Promise<void> {
    this.#child.stdin.end()
    if (this.#child.exitCode === null) await once(this.#child, 'exit')
  }
}

async function eventually(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise(resolve => void setTimeout(resolve, 5))
}

const CLIENT = { name: 'test', version: '1' }

async function recordStateful(file: string, url: string, version: string): Promise<void> {
  const talk = new Talk(['record', '--out', file, '--url', url])
  const capabilities = { elicitation: {} }
  await talk.ask(7, 'initialize', { protocolVersion: version, capabilities, clientInfo: CLIENT })
  talk.send({ method: 'notifications/initialized' })
  await talk.ask(8, 'tools/list')
  await talk.ask(9, 'tools/call', { name: 'add', arguments: { a: 1, b: 2 }, _meta: { progressToken: 'x' } })
  if (version >= '2025-06') {
    talk.send({ id: 10, method: 'tools/call', params: { name: 'name' } })
    const { id } = await talk.until(({ method }) => method === 'elicitation/create')
    talk.send({ id, result: { action: 'accept', content: { name: 'Ada' } } })
    await talk.until(line => line.id === 10 && line.method === undefined)
  }
  await talk.end()
}

async function recordStateless(file: string, url: string): Promise<void> {
  const talk = new Talk(['record', '--out', file, '--url', url])
  const P = 'io.modelcontextprotocol/'
  const _meta = {
    [`${P}protocolVersion`]: newest,
    [`${P}clientCapabilities`]: { elicitation: {} },
    [`${P}clientInfo`]: CLIENT,
  }
  await talk.ask(1, 'server/discover', { _meta })
  await talk.ask(2, 'tools/list', { _meta })
  await talk.ask(3, 'tools/call', { name: 'add', arguments: { a: 1, b: 2 }, _meta: { ..._meta, progressToken: 'x' } })
  const { result } = await talk.ask(4, 'tools/call', { name: 'name', _meta })
  const inputResponses = { name: { action: 'accept', content: { name: 'Ada' } } }
  await talk.ask(5, 'tools/call', { name: 'name', _meta, inputResponses, requestState: result?.requestState })
  await talk.end()
}

const record = (file: string, url: string, version: string): Promise<void> =>
  version === newest ? recordStateless(file, url) : recordStateful(file, url, version)

describe.each([newest, ...stateful])('in %s', version => {
  test('what was recorded is the same again, and says what differs', BUILT, async () => {
    const file = join(folder(), 'talk.jsonl')
    const url = await served(subject())
    await record(file, url, version)
    expect(statSync(file).mode & 0o077).toBe(0)
    expect(await runHere(['replay', file, '--against', url])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('as recorded'),
    })
    const other = await runHere(['replay', file, '--against', await served(subject('product')), '--json'])
    expect(other.code).toBe(10)
    const { findings } = JSON.parse(other.stdout) as { findings: { about: string; differences: { path: string }[] }[] }
    expect(findings.map(({ about }) => about)).toEqual(['tools/call add'])
    expect(findings[0]?.differences[0]?.path).toBe('result.content[0].text')
  })

  test('the recording is a server, in every revision', BUILT, async () => {
    const file = join(folder(), 'talk.jsonl')
    await record(file, await served(subject()), version)
    const transcript = readTranscript(file)
    for (const spoken of versions) {
      const client = connect(
        mockServer(transcript, () => {}),
        {
          version: spoken,
          answer: () => ({ action: 'accept', content: { name: 'Ada' } }),
        },
      )
      expect((await client.request('tools/list')).tools).toMatchObject([{ name: 'add' }, { name: 'name' }])
      expect(await client.call('add', { a: 1, b: 2 })).toMatch(/^sum 3 at 2000-01-01T00:00:00.000Z as 0{8}-/)
      await expect(client.call('add', { a: 5 })).rejects.toThrow(/Recorded: {"a":1,"b":2}/)
      const mayAsk = version >= '2025-06' && spoken >= '2025-06'
      expect(mayAsk ? await client.call('name') : 'Ada').toContain('Ada')
    }
  })
})

describe('a file', () => {
  test('that is none is named, with its line', async () => {
    const file = join(folder(), 'talk.jsonl')
    const failures: readonly [string, RegExp][] = [
      ['', /no transcript/],
      ['{"transcript":2}', /no transcript/],
      ['{"transcript":1,"server":"x"}\nno json', /:2 is not JSON/],
      ['{"transcript":1,"server":"x"}\n\n{"from":"me","message":{}}', /:3 must be/],
    ]
    for (const [text, words] of failures) {
      writeFileSync(file, text)
      expect(await runHere(['replay', '--serve', file])).toMatchObject({
        code: 4,
        stderr: expect.stringMatching(words),
      })
    }
    expect(await runHere(['replay', join(folder(), 'none'), '--against', 'x'])).toMatchObject({ code: 4 })
  })

  test('of somebody’s is not overwritten', async () => {
    const file = join(folder(), 'mine.txt')
    writeFileSync(file, 'mine')
    const said = await runHere(['record', '--out', file, '--', 'true'])
    expect(said).toMatchObject({ code: 1, stderr: expect.stringContaining('no transcript') })
    expect(readFileSync(file, 'utf8')).toBe('mine')
    expect(await runHere(['record', '--', 'true'])).toMatchObject({ code: 2 })
    expect(await runHere(['replay'])).toMatchObject({ code: 2 })
  })

  test('a server that cannot be reached is exit code 6', async () => {
    const file = join(folder(), 'talk.jsonl')
    writeFileSync(
      file,
      [
        '{"transcript":1,"server":"x"}',
        '{"from":"client","message":{"jsonrpc":"2.0","id":1,"method":"ping"}}',
        '{"from":"server","message":{"jsonrpc":"2.0","id":1,"result":{}}}',
      ].join('\n'),
    )
    const said = await runHere(['replay', file, '--against', '/nonexistent/program'])
    expect(said.code).toBe(6)
  })
})
