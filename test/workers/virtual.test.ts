import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ask, call, hello } from '../../packages/engine/test/support/http-client.ts'
import { JSON_HEADERS, exchange, messageOf, open } from '../../packages/engine/test/support/http-exchange.ts'
import type { Answer } from '../../packages/engine/test/support/http-exchange.ts'
import { World, textOf } from './world.ts'

let world: World
beforeAll(async () => {
  world = await World.start('--workers', '3', '--virtual', 'few=who+greet', '--virtual', 'held=hold')
  await world.workers(3)
})
afterAll(() => world.end())

/** A session at a path; every request has a connection of its own, so that most land on a worker that has not the session. */
async function sessionAt(
  path: string,
): Promise<{ headers: Record<string, string>; post: (body: unknown, at?: string) => Promise<Answer> }> {
  const opened = await exchange(world.url, {
    path,
    headers: JSON_HEADERS,
    body: hello('2025-11-25', { elicitation: {} }),
  })
  const headers = {
    ...JSON_HEADERS,
    'mcp-session-id': String(opened.headers['mcp-session-id']),
    'mcp-protocol-version': '2025-11-25',
  }
  return { headers, post: (body, at = path) => exchange(world.url, { path: at, headers, body }) }
}

describe('a virtual server in front of several workers', () => {
  test('has its own tools, in the one worker its session stays in, wherever requests land', async () => {
    const { post } = await sessionAt('/mcp/few')
    const pids = new Set<unknown>()
    for (let i = 0; i < 12; i++) {
      pids.add(textOf(messageOf(await post(call(i, 'who')))))
      expect(messageOf(await post(ask(`l${i}`, 'tools/list')))).toMatchObject({
        result: { tools: [{ name: 'greet' }, { name: 'who' }] },
      })
      expect(JSON.stringify(messageOf(await post(call(`h${i}`, 'hold', { key: 'x' }))))).toContain('Unknown tool: hold')
    }
    expect(pids.size).toBe(1)
  })

  test('puts its questions, and takes the answers', async () => {
    for (let i = 0; i < 4; i++) {
      const { headers, post } = await sessionAt('/mcp/few')
      const asking = await open(world.url, { path: '/mcp/few', headers, body: call(7, 'greet') })
      const question = await asking.until(({ method }) => method === 'elicitation/create')
      const reply = { jsonrpc: '2.0', id: question.id, result: { action: 'accept', content: { name: 'Ada' } } }
      expect((await post(reply)).status).toBe(202)
      expect(textOf(await asking.until(({ id }) => id === 7))).toBe('Hello, Ada!')
    }
  })

  test('keeps its sessions from the other ones and from all of it', async () => {
    const { post } = await sessionAt('/mcp/few')
    for (let i = 0; i < 6; i++) {
      for (const other of ['/mcp', '/mcp/held', '/mcp/none']) {
        expect((await post(ask(i, 'ping'), other)).status, other).toBe(404)
      }
    }
    expect((await post(ask(9, 'ping'))).status).toBe(200)
  })
})
