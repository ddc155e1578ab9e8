import { expect, test } from 'vitest'
import { Spawned, run } from '../support/spawned.ts'
import { playDocument } from './play.ts'
import { threats } from './threats.ts'
import { FOUND, JOBS, command } from './tmkb.ts'

playDocument(threats)

test('an empty stdin ends it cleanly', async () => {
  const { code, stdout, stderr } = await run(['serve', '--preset', 'threats'])
  expect({ code, stdout }).toEqual({ code: 0, stdout: '' })
  expect(stderr).not.toContain('[ERROR]')
})

test('on stdio every error leaves a line that names its request, and none ends the session', async () => {
  const [script = '', ...args] = command(false)
  const spawned = new Spawned(args, { script })
  await spawned.initialize()
  const wrong = threats.rows.filter(({ at, broken, answer }) => {
    return at === undefined && broken === undefined && /"error":|"isError":true/.test(JSON.stringify(answer))
  })
  for (const { say } of wrong) spawned.write(`${typeof say === 'string' ? say : JSON.stringify(say)}\n`)
  expect(await spawned.call('last', 'tmkb_query', JOBS)).toMatchObject({ result: { content: [{ text: FOUND }] } })
  expect(await spawned.end()).toEqual({ code: 0, signal: null })
  const named = (id: unknown): string => (typeof id === 'number' ? `[ERROR] [req_id=${id}]` : '[ERROR] [req_id=-]')
  const errors = spawned.stderr.split('\n').filter(line => line.startsWith('[ERROR]'))
  expect(errors.map(line => line.slice(0, line.indexOf(']', 8) + 1)).toSorted()).toEqual(
    wrong.map(({ answer }) => named((answer as { id?: unknown }).id)).toSorted(),
  )
})
