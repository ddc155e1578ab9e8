import { bearerTokens, newToken } from '@causeway/engine/http'
import { expect, test, vi } from 'vitest'
import { Stateful } from '../support/http-client.ts'
import { shopForTest } from '../support/workshop.ts'
import { WsClient } from '../support/ws-client.ts'

test('a token that is taken back ends its streams, sockets and sessions; others go on', async () => {
  const [ada, bob, eve] = ['ada', 'bob', 'eve'].map(name => newToken(name))
  if (!ada || !bob || !eve) throw new Error('no tokens')
  const authenticator = bearerTokens(`${ada.line}\n${bob.line}\n`)
  const shop = await shopForTest({ authenticator })
  const [hers, his] = [
    await Stateful.open(shop.url, { token: ada.token }),
    await Stateful.open(shop.url, { token: bob.token }),
  ]
  const streams = [await hers.listen(), await his.listen()]
  const headers = { authorization: `Bearer ${ada.token}` }
  const socket = await WsClient.open(shop.url, 'mcp', { headers })
  expect(shop.service.open).toEqual({ sessions: 2, streams: 2, sockets: 1 })
  expect(() => authenticator.replace('nonsense')).toThrow('line 1')
  expect(authenticator.replace(`# ada left\n${bob.line}\n${eve.line}\n`)).toEqual(['ada'])
  await streams[0]?.ended
  await vi.waitFor(() => expect(shop.service.open).toEqual({ sessions: 1, streams: 1, sockets: 0 }))
  expect(await his.request('ping')).toMatchObject({ result: {} })
  expect((await hers.post('{"jsonrpc":"2.0","id":1,"method":"ping"}')).status).toBe(401)
  expect(authenticator.authenticate({ token: eve.token })).toMatchObject({ name: 'eve' })
  await socket.close()
})

test('a file with only comments ends every token; an empty one, which may be half written, ends none', () => {
  const made = newToken('ada')
  const tokens = bearerTokens(made.line)
  expect(() => tokens.replace('')).toThrow('no tokens')
  expect(tokens.authenticate({ token: made.token })).toMatchObject({ name: 'ada' })
  expect(tokens.replace('# Every token was revoked.\n')).toEqual(['ada'])
  expect(tokens.authenticate({ token: made.token })).toBeUndefined()
})

test('what a connection showed before is known again, as a whole and while the file stays as it is', () => {
  const [ada, bob] = [newToken('ada', ['read']), newToken('bob')]
  const tokens = bearerTokens(`${ada.line}\n${bob.line}`)
  const connection = {}
  let looked = 0
  const shown = (text: string, on: object | undefined = connection) => ({
    connection: on,
    header: (name: string) => (name === 'authorization' ? `Bearer ${text}` : undefined),
    get token() {
      looked += 1
      return text
    },
  })
  expect(tokens.shownLast?.(shown(ada.token))).toBeUndefined()
  for (let i = 0; i < 3; i++) expect(tokens.authenticate(shown(ada.token))).toMatchObject({ name: 'ada' })
  expect(looked).toBe(1)
  expect(tokens.shownLast?.(shown(ada.token))).toMatchObject({ name: 'ada' })
  expect(tokens.authenticate(shown(bob.token))).toMatchObject({ name: 'bob' })
  expect(tokens.authenticate(shown(`${bob.token}x`))).toBeUndefined()
  expect(tokens.authenticate(shown(bob.token, undefined))).toMatchObject({ name: 'bob' })
  tokens.replace(`${ada.line} write\n`)
  expect(tokens.shownLast?.(shown(bob.token))).toBeUndefined()
  expect(tokens.authenticate(shown(bob.token))).toBeUndefined()
  expect(tokens.authenticate(shown(ada.token))).toMatchObject({ name: 'ada', scopes: ['read', 'write'] })
})
