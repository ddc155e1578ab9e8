import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createServer, versions } from '@causeway/engine'
import { bearerTokens, newToken, serveHttp } from '@causeway/engine/http'
import type { HttpHandlerOptions, HttpService } from '@causeway/engine/http'
import { workstation } from '@causeway/packs/workstation'
import { afterEach, expect, test } from 'vitest'
import { repository } from './place.ts'

const services: HttpService[] = []
afterEach(async () => {
  for (const service of services.splice(0)) await service.close()
})

type Call = (name: string, args?: object, token?: string) => Promise<string>

/** Calls without a session, as clients of the newest revision make them, and plain JSON-RPC. */
async function serve(root: string, options: HttpHandlerOptions = {}): Promise<Call> {
  const server = createServer({ name: 's', version: '1', log: false })
  server.add(workstation({ roots: [root], allowCommand: ['*'] }))
  const service = await serveHttp(server, { ...options, port: 0, drainMs: 200 })
  services.push(service)
  return async (name, args = {}, token) => {
    const answer = await fetch(`${service.url}/rpc`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(token !== undefined && { authorization: `Bearer ${token}` }) },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }),
    })
    return answer.text()
  }
}

test('of clients that nothing tells apart, none reads or stops what another started, or undoes what it wrote', async () => {
  const root = repository()
  const call = await serve(root)
  const started = await call('start_command', { command: 'sh -c "echo mine; sleep 1000"' })
  const [id = ''] = /command-[\w-]+/.exec(started) ?? []
  expect(id).toMatch(/^command-[\w-]{24}$/)
  expect(await call('list_commands')).toContain('commands are not listed')
  expect(await call('list_commands')).not.toContain(id)
  for (const guess of ['command-1', 'command-', id.slice(0, -1)]) {
    const refused = await call('command_output', { id: guess })
    expect(refused).toContain("'id' must name a command")
    expect(refused).not.toContain(id)
  }
  expect(await call('command_output', { id, wait: 30 })).toContain('mine')
  expect(await call('stop_command', { id })).toContain('was stopped')

  await call('write_file', { path: 'note.txt', content: 'written' })
  expect(await call('undo_edit')).toContain('within a session or with a token')
  expect(await call('undo_edit', { list: true })).toContain('within a session or with a token')
  expect(readFileSync(join(root, 'note.txt'), 'utf8')).toBe('written')
})

test('too many of them are refused without the ids of others', async () => {
  const call = await serve(repository())
  const started = await Promise.all(Array.from({ length: 9 }, () => call('start_command', { command: 'sleep 1000' })))
  const refused = started.filter(answer => answer.includes('8 commands run already'))
  expect(refused).toHaveLength(1)
  expect(refused[0]).not.toMatch(/command-/)
})

test('one principal has so many commands, however many sessions it opens (R-M7)', async () => {
  const [ada, bob] = [newToken('ada'), newToken('bob')]
  const server = createServer({ name: 's', version: '1', log: false })
  server.add(workstation({ roots: [repository()], allowCommand: ['*'] }))
  const authenticator = bearerTokens(`${ada.line}\n${bob.line}`)
  const service = await serveHttp(server, { authenticator, port: 0, drainMs: 200 })
  services.push(service)
  const post = (method: string, params: object, headers: Record<string, string>): Promise<Response> =>
    fetch(`${service.url}/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    })
  const sessionOf = async (token: string): Promise<Record<string, string>> => {
    const hello = { protocolVersion: versions.at(-2), capabilities: {}, clientInfo: { name: 'c', version: '1' } }
    const answer = await post('initialize', hello, { authorization: `Bearer ${token}` })
    return { authorization: `Bearer ${token}`, 'mcp-session-id': answer.headers.get('mcp-session-id') ?? '' }
  }
  const start = async (session: Record<string, string>): Promise<string> =>
    (await post('tools/call', { name: 'start_command', arguments: { command: 'sleep 1000' } }, session)).text()
  const sessions = await Promise.all([1, 2, 3].map(() => sessionOf(ada.token)))
  const started = await Promise.all(sessions.flatMap(session => Array.from({ length: 6 }, () => start(session))))
  expect(started.filter(answer => answer.includes('16 commands of your sessions run already'))).toHaveLength(2)
  expect(await start(await sessionOf(bob.token))).toContain('command-')
})

test('with tokens each has its own, across requests', async () => {
  const [ada, bob] = [newToken('ada'), newToken('bob')]
  const root = repository()
  const call = await serve(root, { authenticator: bearerTokens(`${ada.line}\n${bob.line}`) })
  expect(await call('start_command', { command: 'sleep 1000' }, ada.token)).toContain('command-1')
  expect(await call('list_commands', {}, bob.token)).toContain('There are no commands')
  expect(await call('stop_command', { id: 'command-1' }, bob.token)).toContain("'id' must name a command")
  expect(await call('stop_command', { id: 'command-1' }, ada.token)).toContain('was stopped')
  await call('write_file', { path: 'note.txt', content: 'written' }, ada.token)
  expect(await call('undo_edit', {}, bob.token)).toContain('There is nothing to undo')
  expect(await call('undo_edit', {}, ada.token)).toContain('Undid write_file')
})
