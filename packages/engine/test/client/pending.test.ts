import { expect, test } from 'vitest'
import { Pending } from '../../src/client/transports/pending.ts'
import type { RequestSink, TransportListener } from '../../src/client/transports/transport.ts'

test('an answer with more values than are read ends its request at once', () => {
  const pending = new Pending()
  const invalid: string[] = []
  const lost: string[] = []
  const listener = { onInvalid: (what: string) => invalid.push(what) } as unknown as TransportListener
  pending.add(1, { onLost: (why: Error) => lost.push(why.message) } as unknown as RequestSink)
  pending.takeText('a line of a log', listener)
  expect(lost).toEqual([])
  pending.takeText(JSON.stringify({ jsonrpc: '2.0', id: 1, result: { list: Array(300_000).fill(1) } }), listener)
  expect(lost).toEqual(['The answer was too large, had too many values, or was not text'])
  expect(invalid).toEqual(['a line of a log', 'a message that is not read: More than 250000 values'])
})
