import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connect } from '@causeway/engine/testing'
import { server } from './server.js'

for (const version of ['2025-11-25', '2026-07-28']) {
  void test(`converts for a client of ${version}`, async () => {
    const client = connect(server, { version })
    const result = await client.call('convert_currency', { amount: 10, from: 'EUR', to: 'USD' })
    assert.deepEqual(result, { amount: 11, currency: 'USD' })
  })
}

void test('says what is wrong', async () => {
  const client = connect(server)
  await assert.rejects(client.call('convert_currency', { amount: 10, from: 'EUR', to: 'GBP' }), /'to'/)
  await assert.rejects(client.call('convert_currency', { amount: 10, from: 'EUR', to: 'EUR' }), /nothing to convert/)
})
