import { createServer, tool } from '@causeway/engine'
import { connect } from '@causeway/engine/testing'
import { expect, test } from 'vitest'
import { ALL } from '../support/scenario.ts'

test.each(ALL)('a call can be given up, and its progress heard, in %s (N M18)', async version => {
  const stopped: boolean[] = []
  const server = createServer({ name: 's', version: '1', log: false }).add(
    tool({ name: 'steps' }, (_, ctx) => {
      for (const step of [1, 2]) ctx.progress(step, `step ${step}`)
      return 'done'
    }),
    tool({ name: 'waits' }, (_, { signal }) => {
      setImmediate(() => stopping.abort(new Error('enough')))
      return new Promise<never>((_resolve, reject) =>
        signal.addEventListener('abort', () => {
          stopped.push(true)
          reject(new Error('stopped'))
        }),
      )
    }),
  )
  const client = connect(server, { version })
  const heard: unknown[] = []
  expect(await client.call('steps', {}, undefined, { onProgress: ({ progress }) => heard.push(progress) })).toBe('done')
  expect(heard).toEqual([1, 2])
  const stopping = new AbortController()
  await expect(client.call('waits', {}, undefined, { signal: stopping.signal })).rejects.toThrow('enough')
  expect(stopped).toEqual([true])
})

test.each([
  ['a Map', new Map([['a', 1]])],
  ['a Set', new Set([1])],
  ['NaN', Number.NaN],
])('what JSON would silently change is a fault of the tool: %s', async (_, value) => {
  const problems: unknown[] = []
  const log = (__: string, ___: string, fields?: { error?: unknown }): void => void problems.push(fields?.error)
  const server = createServer({ name: 's', version: '1', log }).add(tool({ name: 't' }, () => value as never))
  await expect(connect(server).call('t')).rejects.toThrow(/^Internal error/)
  expect(problems.map(String).join()).toContain('which JSON has no value for')
})

test('what is for the audit alone is not shown to clients', async () => {
  const input = {
    type: 'object',
    properties: { text: { type: 'string', 'x-audit': 'omit' }, 'x-audit': { type: 'string' } },
  } as const
  const server = createServer({ name: 's', version: '1', log: false }).add(tool({ name: 't', input }, () => ''))
  const { tools } = (await connect(server).request('tools/list')) as { tools: readonly { inputSchema: unknown }[] }
  expect(tools[0]?.inputSchema).toEqual({
    type: 'object',
    properties: { text: { type: 'string' }, 'x-audit': { type: 'string' } },
  })
  expect(server.inputSchemaOf('t')).toMatchObject({ properties: { text: { 'x-audit': 'omit' } } })
})

test('schemas by name, as other libraries take them, are refused with what to write (N M17)', () => {
  const city = { '~standard': { version: 1, vendor: 'z', validate: (value: unknown) => ({ value }) } }
  const add = (): unknown =>
    createServer({ name: 's', version: '1', log: false }).add(tool({ name: 't', input: { city } as never }, () => ''))
  expect(add).toThrow(/at its root, since arguments are named\. Did you mean z\.object/)
})
