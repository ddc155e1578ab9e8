import { spawn } from 'node:child_process'
import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterEach, expect, test } from 'vitest'
import { EVERYTHING } from './everything.ts'
import { repository } from './place.ts'
import { children, running, until } from './processes.ts'

const program = fileURLToPath(new URL('./server.js', import.meta.url))
const root = repository()
const started: ChildProcessWithoutNullStreams[] = []

afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL')
})

interface Server {
  readonly child: ChildProcessWithoutNullStreams
  readonly ended: Promise<number | null>
  request(method: string, params: object): Promise<Record<string, unknown>>
}

function start(...args: readonly string[]): Server {
  const child = spawn(process.execPath, [program, root, ...args], { stdio: 'pipe' })
  started.push(child)
  const waiting = new Map<number, (answer: Record<string, unknown>) => void>()
  createInterface({ input: child.stdout }).on('line', line => {
    const answer = JSON.parse(line) as Record<string, unknown>
    waiting.get(Number(answer.id))?.(answer)
  })
  let last = 0
  return {
    child,
    ended: new Promise(resolve => void child.once('exit', resolve)),
    request: (method, params) =>
      new Promise(resolve => {
        waiting.set(++last, resolve)
        child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: last, method, params })}\n`)
      }),
  }
}

const command = (mark: string): object => ({
  name: 'run_command',
  arguments: {
    command: `sh -c "trap '' TERM; (sleep 1000; echo ${mark}) & setsid sh -c 'sleep 1000; echo ${mark}' & sleep 1000; echo ${mark}"`,
  },
})
const unique = (): string => `mark-${crypto.randomUUID()}`

test('the tools work over stdio', async () => {
  const { request, child, ended } = start()
  await request('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 't', version: '1' },
  })
  child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`)
  const { result } = await request('tools/list', {})
  expect((result as { tools: unknown[] }).tools).toHaveLength(53)
  const call = async (name: string, args: object): Promise<unknown> =>
    (await request('tools/call', { name, arguments: args })).result
  expect(await call('filesystem/read', { path: 'a.txt' })).toMatchObject({ content: [{ type: 'text', text: 'one\n' }] })
  expect(await call('git_status', {})).toMatchObject({ content: [{ text: '## main\n' }] })
  expect(await call('run_command', { command: 'echo hello' })).toMatchObject({ content: [{ text: 'hello\n' }] })
  expect(await call('debug_get_server_info', {})).toMatchObject({ structuredContent: { transport: 'stdio' } })
  await until(() => children(child.pid ?? 0).length === 0)
  child.stdin.end()
  expect(await ended).toBe(0)
})

// The older official client does the same over HTTP.
test('every tool works with the official client', async () => {
  const client = new Client({ name: 'test', version: '1.0.0' })
  const args = [program, repository()]
  await client.connect(new StdioClientTransport({ command: process.execPath, args }))
  const { tools } = await client.listTools()
  expect(new Set(tools.map(tool => tool.name))).toEqual(new Set(EVERYTHING.map(([name]) => name)))
  for (const [name, args, words] of EVERYTHING) {
    const { content, isError = false } = await client.callTool({ name, arguments: args })
    const said = (content as { text?: string }[]).map(block => block.text ?? '').join('')
    expect({ name, isError, said }).toEqual({ name, isError: false, said: expect.stringMatching(words) })
  }
  await client.close()
})

test('a client that goes away takes its commands with it', async () => {
  const mark = unique()
  const { request, child, ended } = start('300')
  void request('tools/call', command(mark))
  await until(() => running(mark).length >= 3)
  child.stdin.end()
  expect(await ended).toBe(0)
  await until(() => running(mark).length === 0)
})

test('a server that is told to stop ends its commands', async () => {
  const mark = unique()
  const { request, child, ended } = start('300')
  void request('tools/call', command(mark))
  await until(() => running(mark).length >= 3)
  child.kill('SIGTERM')
  expect(await ended).toBe(0)
  await until(() => running(mark).length === 0)
})

test('even a server that is killed leaves no command behind', async () => {
  const mark = unique()
  const { request, child, ended } = start()
  for (let i = 0; i < 3; i++) void request('tools/call', command(mark))
  await until(() => running(mark).length >= 9)
  child.kill('SIGKILL')
  expect(await ended).toBeNull()
  await until(() => running(mark).length === 0)
})

test.each(['end of input', 'SIGTERM', 'SIGKILL'] as const)('no command in the background outlives %s', async how => {
  const mark = unique()
  const { request, child, ended } = start('300')
  await request('tools/call', { ...command(mark), name: 'start_command' })
  await until(() => running(mark).length >= 3)
  if (how === 'end of input') child.stdin.end()
  else child.kill(how)
  await ended
  await until(() => running(mark).length === 0)
  expect(running(mark)).toEqual([])
})
