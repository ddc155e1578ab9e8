import { expect, test } from 'vitest'
import { createServer, tool } from '@causeway/engine'
import { observe } from '@causeway/engine/policies'
import { connect } from '@causeway/engine/testing'
import { CallMeter } from '../src/call-meter.ts'
import type { CallRecord } from '../src/operator-records.ts'

const input = {
  type: 'object',
  properties: { text: { type: 'string' }, code: { type: 'string', 'x-audit': 'omit' } },
} as const

/** A server that is metered, and what is written of its calls. */
function metered(isWatched: boolean): {
  meter: CallMeter
  call: (name?: string) => Promise<unknown>
  records: CallRecord[]
} {
  const records: CallRecord[] = []
  const server = createServer({ name: 'metered', version: '1', log: false })
  const schemaOf = (name: string): ReturnType<typeof server.inputSchemaOf> => server.inputSchemaOf(name)
  const meter = new CallMeter(record => void records.push(record), { schemaOf, isWatched: () => isWatched })
  server.use(observe([meter])).add(
    tool({ name: 'leaves', input }, async () => {
      server.remove('tool', 'leaves')
      return 'gone'
    }),
    tool({ name: 'echo', input }, ({ text }) => text ?? ''),
  )
  const client = connect(server)
  return { meter, records, call: (name = 'echo') => client.call(name, { text: 'hi', code: 'wxyz' }) }
}

test('while somebody looks every call is written, the first two hundred of a second with their arguments', async () => {
  const { meter, call, records } = metered(true)
  for (let i = 0; i < 250; i++) await call()
  expect(records).toHaveLength(250)
  expect(records.filter(record => record.arguments !== undefined)).toHaveLength(200)
  expect(meter.take()).toMatchObject({ calls: 250, errors: 0, running: 0 })
})

test('while nobody looks, twenty have their arguments, two hundred are written, and the rest is counted', async () => {
  const { meter, call, records } = metered(false)
  for (let i = 0; i < 250; i++) await call()
  expect(records).toHaveLength(200)
  expect(records.filter(record => record.arguments !== undefined)).toHaveLength(20)
  expect(meter.take().calls).toBe(250)
  await call()
  expect(records.at(-1)?.arguments).toEqual({ text: 'hi', code: '[omitted: 4 characters]' })
})

test('what a tool wants left out is left out, also of one that is gone when its call ends', async () => {
  const { call, records } = metered(true)
  await call('leaves')
  expect(records).toMatchObject([{ tool: 'leaves', outcome: 'ok', arguments: { text: 'hi' } }])
  expect(JSON.stringify(records)).not.toContain('wxyz')
})
