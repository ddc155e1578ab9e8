import { readdirSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { Spawned } from '../../../../test/support/spawned.ts'
import { fill, idOf, readTranscript } from './transcript.ts'

const folder = new URL('transcripts/', import.meta.url)
const names = readdirSync(folder).filter(name => name.endsWith('.txt'))

test.each(names)('%s', async name => {
  const { args, steps } = readTranscript(new URL(name, folder))
  const server = new Spawned(args)
  let heard = 0
  for (const { sent, expected } of steps) {
    server.write(sent.map(line => `${line}\n`).join(''))
    await server.until(() => (server.lines.length >= heard + expected.length ? true : undefined))
    const said: unknown[] = server.said.slice(heard, heard + expected.length)
    heard += expected.length
    const byId = (a: unknown, b: unknown): number => idOf(a).localeCompare(idOf(b))
    const sorted = said.toSorted(byId)
    expect(sorted).toStrictEqual(expected.toSorted(byId).map((message, i) => fill(message, sorted[i])))
  }
  expect(await server.end()).toEqual({ code: 0, signal: null })
  expect(server.lines.slice(heard)).toEqual([])
  expect(server.rest).toBe('')
})

describe('self-test: placeholders', () => {
  const came = { id: 1, result: { time: '2026-01-01T00:00:00Z', tools: [{ name: 'a', more: 1 }, { name: 'b' }] } }
  const expected = (result: object): unknown => fill({ id: 1, result }, came)

  test('stand for what came', () => {
    expect(expected({ time: '2026-…Z', tools: '…' })).toStrictEqual(came)
    expect(expected({ time: '…', tools: [{ name: 'a', '…': '…' }, '…'] })).toStrictEqual(came)
    expect(expected({ tools: [{ name: 'a', more: 1 }, { name: 'b' }], '…': '…' })).toStrictEqual(came)
  })

  test('stand for nothing else', () => {
    expect(expected({ time: '2027-…Z', tools: '…' })).not.toStrictEqual(came)
    expect(expected({ time: '…', tools: [{ name: 'a' }, '…'] })).not.toStrictEqual(came)
    expect(expected({ time: '…', tools: [{ name: 'a', '…': '…' }] })).not.toStrictEqual(came)
    expect(expected({ time: '…', tools: '…', absent: '…' })).not.toStrictEqual(came)
    expect(expected({ tools: '…' })).not.toStrictEqual(came)
  })
})
