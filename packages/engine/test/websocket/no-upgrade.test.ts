import { expect, test } from 'vitest'
import { exchange } from '../support/http-exchange.ts'
import { Raw, spelled } from '../support/raw-http.ts'
import { shopForTest } from '../support/workshop.ts'
import { UPGRADE } from '../support/ws-client.ts'

test('/ws without an upgrade says what it wants', async () => {
  const shop = await shopForTest()
  const answer = await exchange(shop.url, { method: 'GET', path: '/ws' })
  expect(answer).toMatchObject({ status: 426 })
  expect(answer.headers.upgrade).toBe('websocket')
})

test('an upgrade elsewhere is refused, and its connection let go', async () => {
  const shop = await shopForTest()
  const connection = await Raw.open(shop.port)
  connection.write(spelled({ method: 'GET', path: '/mcp', headers: UPGRADE }))
  expect(await connection.head()).toMatchObject({ status: 404, headers: { connection: 'close' } })
  await connection.ended()
  connection.hangUp()
})
