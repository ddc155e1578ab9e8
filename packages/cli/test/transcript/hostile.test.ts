import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createServer } from '@causeway/engine'
import { memoryTransport } from '@causeway/engine/client'
import { connect } from '@causeway/engine/testing'
import { expect, test } from 'vitest'
import { mockServer } from '../../src/transcript/mock-server.ts'
import { Replay } from '../../src/transcript/replay.ts'
import { readTranscript } from '../../src/transcript/transcript.ts'
import { needs } from '../../../../test/support/needs.ts'

const root = fileURLToPath(new URL('../../../../', import.meta.url))
const BIN = join(root, 'packages/cli/bin/causeway.js')
const BUILT = needs('npm run build', existsSync(join(root, 'packages/cli/dist/main.js')))
const HEAD = '{"transcript":1,"server":"x"}'
const deep = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`

function written(...lines: readonly string[]): string {
  const file = join(mkdtempSync(join(tmpdir(), 'causeway-transcript-')), 'talk.jsonl')
  writeFileSync(file, [HEAD, ...lines].join('\n'))
  return file
}

const client = (message: string): string => `{"from":"client","message":{"jsonrpc":"2.0",${message}}}`
const server = (message: string): string => `{"from":"server","message":{"jsonrpc":"2.0",${message}}}`

test.each([
  ['parameters that are null', client('"id":1,"method":"ping","params":null'), '"params" must be an object'],
  ['parameters that are a list', server('"method":"notifications/x","params":[1]'), '"params" must be an object'],
  ['a method that is no text', client('"id":1,"method":["ping"]'), '"method" must be a string'],
  ['an id that is an object', client('"id":{},"method":"ping"'), '"id" must be a string or an integer'],
  ['a result that is null', server('"id":1,"result":null'), 'a result is an object'],
  ['an answer without an id', server('"result":{}'), '"id" must be a string or an integer'],
  ['an error that is a text', server('"id":1,"error":"no"'), 'a result is an object'],
  ['a code that is a text', server('"id":1,"error":{"code":"1","message":"no"}'), 'an integer "code"'],
  ['a message that is deep', client(`"id":1,"method":"ping","params":{"a":${deep(50_000)}}`), 'levels deep'],
])('%s is named by its line', (_, line, problem) => {
  expect(() => readTranscript(written(line))).toThrow(problem)
  expect(() => readTranscript(written(line))).toThrow(/talk\.jsonl:2 /)
})

test('what is no file is not read', () => {
  expect(() => readTranscript('/dev/zero')).toThrow('it is no file')
})

test('what a recording lists without a name, or with a template that is none, is left out', async () => {
  const file = written(
    client('"id":1,"method":"tools/list"'),
    server(
      '"id":1,"result":{"tools":[{"name":{"toString":1}},{"name":null},{"name":"good","inputSchema":{"type":"object"}}]}',
    ),
    client('"id":2,"method":"resources/templates/list"'),
    server(
      '"id":2,"result":{"resourceTemplates":[{"uriTemplate":"{"},{"uriTemplate":5},{"uriTemplate":"a:{x}","name":"a"}]}',
    ),
    client('"id":3,"method":"tools/call","params":{"name":"good"}'),
    server('"id":"s1","method":"evil/method","params":{}'),
    server('"id":3,"result":{"content":[{"type":"text","text":"fine"}]}'),
  )
  const said: string[] = []
  const one = connect(mockServer(readTranscript(file), (_level, message) => void said.push(message)))
  expect((await one.request('tools/list')).tools).toMatchObject([{ name: 'good' }])
  expect((await one.request('resources/templates/list')).resourceTemplates).toMatchObject([{ uriTemplate: 'a:{x}' }])
  expect(await one.call('good')).toBe('fine')
  expect(said).toEqual([
    'left out tools without a name',
    'left out resourceTemplates without a uriTemplate',
    'left out a template',
  ])
})

test('what never comes is waited for together, and a server that talks without end is not listened to', async () => {
  const notice = (n: number): string => server(`"method":"notifications/message","params":{"n":${n}}`)
  const lines = Array.from({ length: 200 }, (_, n) => notice(n))
  const quiet = createServer({ name: 'x', version: '1', log: false })
  const began = performance.now()
  const missing = await new Replay(readTranscript(written(...lines)), { open: () => memoryTransport(quiet) }, 100).run()
  expect(missing.filter(({ what }) => what === 'missing')).toHaveLength(200)
  expect(performance.now() - began).toBeLessThan(10_000)

  const flooding = memoryTransport(quiet)
  const target = { open: () => flooding }
  const replay = new Replay(readTranscript(written(notice(0))), target, 100)
  for (let n = 1; n < 30_000; n++)
    flooding.listener.onMessage({ jsonrpc: '2.0', method: 'notifications/x', params: { n } })
  expect((await replay.run().catch((error: unknown) => error)) as object).toMatchObject({ length: 10_001 })
})

test('a client that sends what is no message is answered, and what follows is passed on', BUILT, () => {
  const file = written()
  chmodSync(file, 0o666)
  const lines = [
    `{"jsonrpc":"2.0","id":1,"method":"a","params":{"a":${deep(100_000)}}}`,
    '{"jsonrpc":"2.0","id":2,"method":"a","params":null}',
    '{"jsonrpc":"2.0","method":"notifications/cancelled","params":null}',
    '{"jsonrpc":"2.0","method":"notifications/fine"}',
  ]
  const { stdout, stderr, status } = spawnSync(process.execPath, [BIN, 'record', '--out', file, '--', 'cat'], {
    input: `${lines.join('\n')}\n`,
    encoding: 'utf8',
  })
  expect({ status, stderr: stderr.includes('    at ') }).toEqual({ status: 0, stderr: false })
  const answers = stdout
    .trim()
    .split('\n')
    .map(line => JSON.parse(line) as object)
  expect(answers).toMatchObject([{ id: 2, error: { code: -32600 } }, { method: 'notifications/fine' }])
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(readTranscript(file).entries).toHaveLength(2)
})

test('a client that does not read holds up the server, and not the memory of record', BUILT, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'causeway-record-'))
  const told = join(folder, 'told')
  const flood = join(folder, 'flood.mjs')
  writeFileSync(
    flood,
    `import { writeSync, writeFileSync } from 'node:fs'
const line = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/x', params: { text: 'x'.repeat(1 << 20) } }) + '\\n'
for (let i = 1; i <= 400; i++) {
  for (let at = 0; at < line.length; ) {
    try { at += writeSync(1, line.slice(at, at + 65536)) } catch (error) { if (error.code !== 'EAGAIN') throw error }
  }
  writeFileSync(${JSON.stringify(told)}, String(i))
}`,
  )
  const recorder = spawn(process.execPath, [BIN, 'record', '--out', join(folder, 'talk.jsonl'), '--', 'node', flood])
  recorder.stderr.resume()
  try {
    let before = ''
    let still = 0
    await expect
      .poll(
        () => {
          const now = existsSync(told) ? readFileSync(told, 'utf8') : ''
          still = now !== '' && now === before ? still + 1 : 0
          before = now
          return still
        },
        { interval: 100 },
      )
      .toBeGreaterThan(10)
    expect(Number(before)).toBeLessThan(100)
  } finally {
    recorder.kill('SIGKILL')
  }
})
