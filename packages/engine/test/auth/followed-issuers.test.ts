import { resourceServer } from '@causeway/engine/http'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { Stateful } from '../support/http-client.ts'
import { TokenIssuer, newKey } from '../support/token-issuer.ts'
import { shopForTest } from '../support/workshop.ts'
import { WsClient } from '../support/ws-client.ts'

let one: TokenIssuer
let two: TokenIssuer
beforeAll(async () => {
  one = await TokenIssuer.start()
  two = await TokenIssuer.start(await newKey('theirs'))
})
afterAll(() => Promise.all([one.close(), two.close()]))

test('an issuer that is gone ends the streams, sockets and sessions of its tokens; those of others go on', async () => {
  const [first, second] = [{ issuer: one.name }, { issuer: two.name, audience: ['api://a', 'api://b'] }]
  const authenticator = resourceServer({ issuers: [first, second] })
  const shop = await shopForTest({ authenticator })
  const token = await one.sign([`${shop.url}/mcp`, `${shop.url}/ws`])
  const hers = await Stateful.open(shop.url, { token })
  const his = await Stateful.open(shop.url, { token: await two.sign('api://a') })
  const streams = [await hers.listen(), await his.listen()]
  const socket = await WsClient.open(shop.url, 'mcp', { headers: { authorization: `Bearer ${token}` } })
  expect(shop.service.open).toEqual({ sessions: 2, streams: 2, sockets: 1 })

  for (const issuers of [[], [first, first], [{ issuer: 'http://a.example' }, second]])
    expect(() => authenticator.replace({ issuers })).toThrow(/issuer/i)
  expect(shop.service.open, 'what cannot be used changes nothing').toEqual({ sessions: 2, streams: 2, sockets: 1 })

  const fetched = two.requests.length
  const wider = { ...second, audience: ['api://a', 'api://b', 'api://c'] }
  expect(authenticator.replace({ issuers: [wider] })).toEqual([one.name])
  await streams[0]?.ended
  await vi.waitFor(() => expect(shop.service.open).toEqual({ sessions: 1, streams: 1, sockets: 0 }))
  expect((await hers.post('{"jsonrpc":"2.0","id":1,"method":"ping"}')).status).toBe(401)
  expect(await his.request('ping')).toMatchObject({ result: {} })
  expect(authenticator.authorizationServers).toEqual([two.name])

  expect(authenticator.replace({ issuers: [wider, first] })).toEqual([])
  expect(await his.request('ping')).toMatchObject({ result: {} })
  expect(two.requests.length - fetched, 'its keys are fetched again, since its entry changed').toBeLessThanOrEqual(2)
  expect((await Stateful.open(shop.url, { token })).session).toEqual(expect.any(String))

  expect(authenticator.replace({ issuers: [{ ...second, audience: 'api://b' }] })).toEqual([two.name, one.name])
  await streams[1]?.ended
  await vi.waitFor(() => expect(shop.service.open).toMatchObject({ streams: 0, sockets: 0 }))
  expect((await his.post('{"jsonrpc":"2.0","id":1,"method":"ping"}')).status).toBe(401)
  await socket.close()
})

test('a token that is being verified meanwhile is judged by what holds then', async () => {
  const slow = await TokenIssuer.start(await newKey('slow'))
  let letGo: () => void = () => {}
  const asked = new Promise<void>(resolve => {
    slow.hook = (request, response) => {
      if (request.url !== '/keys') return false
      letGo = () => response.end(JSON.stringify({ keys: slow.keys }))
      resolve()
      return true
    }
  })
  const authenticator = resourceServer({ issuers: [{ issuer: slow.name }] })
  const shop = await shopForTest({ authenticator })
  const answer = Stateful.open(shop.url, { token: await slow.sign(`${shop.url}/mcp`) }).then(
    () => 'let in',
    () => 'refused',
  )
  await asked
  authenticator.replace({ issuers: [{ issuer: one.name }] })
  letGo()
  expect(await answer).toBe('refused')
  await slow.close()
})
