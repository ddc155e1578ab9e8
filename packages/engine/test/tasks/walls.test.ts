import { TASKS_EXTENSION, tool } from '@causeway/engine'
import type { Params, View } from '@causeway/engine'
import { bearerTokens, newToken, scopeRules } from '@causeway/engine/http'
import { requireScopes, serveTasks } from '@causeway/engine/policies'
import { describe, expect, test } from 'vitest'
import { ask, enveloped, hello, tell } from '../support/http-client.ts'
import { JSON_HEADERS, exchange, messageOf } from '../support/http-exchange.ts'
import { shopForTest } from '../support/workshop.ts'
import type { Shop } from '../support/workshop.ts'
import { ASKS, DECIDES, Gate } from './support.ts'

const rules = scopeRules({ tools: { secret: ['write', 'vault'] } })
const part: View = { name: 'part', offers: (kind, key) => kind === 'tools' && key === 'free' }
const [whole, less] = [newToken('ada', ['write', 'vault']), newToken('ada', ['write'])]

/** Two tokens of one principal, of which the second has fewer scopes, as an authorization server gives them. */
const ada = [whole, less].map(({ line }) => bearerTokens(line))
const authenticator = { authenticate: (request: { token: string | undefined }) => found(request) }
const found = (request: { token: string | undefined }) =>
  ada.map(tokens => tokens.authenticate(request)).find(principal => principal !== undefined)

interface Client {
  request(method: string, params?: Params): Promise<{ status: number; challenge: unknown; body: Params }>
}

async function world(): Promise<{ shop: Shop; gate: Gate }> {
  const gate = new Gate()
  const views = { names: ['part'], find: (name: string) => (name === 'part' ? part : undefined) }
  const shop = await shopForTest({ authenticator, scopes: rules, views })
  shop.server.use(requireScopes(rules, shop.server), serveTasks(shop.server, { graceMs: 5 })).add(
    tool({ name: 'secret', task: 'optional' }, async (_, ctx) => {
      ctx.progress(1, 'opening the vault')
      await gate.opened
      return 'the combination'
    }),
    tool({ name: 'free', task: 'optional' }, async () => {
      await gate.opened
      return 'for all'
    }),
  )
  return { shop, gate }
}

/** A client of one kind of tasks, at one endpoint. */
async function clientAt({ url }: Shop, version: string, token: string, path: string): Promise<Client> {
  let own: Record<string, string> = { ...JSON_HEADERS, authorization: `Bearer ${token}` }
  const post = (body: Params, more: Record<string, string> = {}) =>
    exchange(url, { path, headers: { ...own, ...more }, body })
  if (version === ASKS) {
    const { headers } = await post(hello(version))
    own = { ...own, 'mcp-session-id': String(headers['mcp-session-id']), 'mcp-protocol-version': version }
    await post(tell('notifications/initialized'))
  }
  const send = (method: string, params: Params) => {
    if (version === ASKS) return post(ask(1, method, params))
    const repeated = { 'mcp-protocol-version': version, 'mcp-method': method }
    const name = { 'mcp-name': String(params.taskId ?? params.name) }
    const declared = { extensions: { [TASKS_EXTENSION]: {} } }
    return post(ask(1, method, enveloped(params, declared, version)), { ...repeated, ...name })
  }
  return {
    async request(method, params = {}) {
      const answer = await send(method, params)
      const { result, error } = messageOf(answer)
      return { status: answer.status, challenge: answer.headers['www-authenticate'], body: { ...result, ...error } }
    },
  }
}

async function begun(client: Client, name: string): Promise<string> {
  const { body } = await client.request('tools/call', { name, arguments: {}, task: {} })
  return String((body.task as Params | undefined)?.taskId ?? body.taskId)
}

const used = (version: string): readonly string[] => [
  'tasks/get',
  'tasks/cancel',
  version === ASKS ? 'tasks/result' : 'tasks/update',
]

describe.each([ASKS, DECIDES])('tasks of %s', version => {
  test('are known at the endpoint where they were begun, and at no other', async () => {
    const { shop, gate } = await world()
    const main = await clientAt(shop, version, whole.token, '/mcp')
    const other = await clientAt(shop, version, whole.token, '/mcp/part')
    const [taskId, there] = [await begun(main, 'secret'), await begun(other, 'free')]
    for (const method of used(version)) {
      expect(await other.request(method, { taskId })).toMatchObject({ body: { code: -32602 } })
      expect(await main.request(method, { taskId: there })).toMatchObject({ body: { code: -32602 } })
    }
    gate.open()
    for (const [client, id] of [[main, taskId] as const, [other, there] as const])
      await expect
        .poll(() => client.request('tasks/get', { taskId: id }))
        .toMatchObject({ body: { status: 'completed' } })
    if (version !== ASKS) return
    expect(await other.request('tasks/list')).toMatchObject({ body: { tasks: [{ taskId: there }] } })
    expect(await main.request('tasks/list')).toMatchObject({ body: { tasks: [{ taskId }] } })
  })

  test('want the scopes of their tool, whatever is done with them', async () => {
    const { shop, gate } = await world()
    const client = await clientAt(shop, version, whole.token, '/mcp')
    const lesser = await clientAt(shop, version, less.token, '/mcp')
    const taskId = await begun(client, 'secret')
    for (const method of used(version)) {
      const refused = await lesser.request(method, { taskId })
      expect(refused).toMatchObject({ status: 403, challenge: expect.stringContaining('scope="write vault"') })
      expect(refused.body).toMatchObject({ code: -32005, data: { requiredScopes: ['write', 'vault'] } })
    }
    const open = await begun(lesser, 'free')
    gate.open()
    await expect.poll(() => client.request('tasks/get', { taskId })).toMatchObject({ body: { status: 'completed' } })
    if (version !== ASKS) return
    expect(await lesser.request('tasks/list')).toMatchObject({ body: { tasks: [{ taskId: open }] } })
  })
})
