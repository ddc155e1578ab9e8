import { once } from 'node:events'
import { expect, test } from 'vitest'
import { Spawned } from '../../../../test/support/spawned.ts'

test('a stderr that nobody reads any more ends nothing', async () => {
  const child = new Spawned(['serve', '--stdio', '--audit', 'stderr', '--log-level', 'debug'])
  await child.initialize()
  child.process.stderr.destroy()
  await once(child.process.stderr, 'close')
  for (let id = 1; id <= 20; id++) {
    expect(await child.call(id, 'add_numbers', { number1: id, number2: 1 })).toMatchObject({ id, result: {} })
    expect(await child.call(`bad ${id}`, 'nothing')).toMatchObject({ error: {} })
  }
  expect(await child.end()).toEqual({ code: 0, signal: null })
})
