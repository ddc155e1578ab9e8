import { versions } from '@causeway/engine'
import { connect } from '@causeway/engine/testing'
import { expect, test } from 'vitest'
import { server } from './weather.ts'

test('forecast', async () => {
  expect(await connect(server).call('forecast', { city: 'Oslo' })).toEqual({ celsius: 21 })
})

for (const version of versions) {
  test(`a forecast in ${version}`, async () => {
    const value = await connect(server, { version }).call('forecast', { city: 'Oslo', days: 2 })
    expect(typeof value === 'string' ? JSON.parse(value) : value).toEqual({ celsius: 22 })
  })
}

for (const version of versions.filter(v => v >= '2025-06-18')) {
  test(`wipe asks first in ${version}`, async () => {
    const client = connect(server, { version, answer: () => ({ action: 'decline' }) })
    expect(await client.call('wipe', { path: '/tmp/x' })).toBe('Left alone')
  })
}
