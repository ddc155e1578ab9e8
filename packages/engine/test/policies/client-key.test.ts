import { createServer, tool } from '@causeway/engine'
import type { Caller, View } from '@causeway/engine'
import { clientKey, quotaKey } from '@causeway/engine/internal'
import { connect } from '@causeway/engine/testing'
import { expect, test } from 'vitest'

/** The keys of a call by that principal, at that part of a server. */
async function keysOf(principal: string, part?: string): Promise<{ own: string; quota: string }> {
  const view: View | undefined = part === undefined ? undefined : { name: part, offers: () => true }
  let keys: { own: string; quota: string } | undefined
  const server = createServer({ name: 's', version: '1', log: false }).add(tool({ name: 'look' }, () => 'looked'))
  server.use((call, next) => {
    const caller: Caller = { ...call.caller, view }
    keys = { own: clientKey({ ...call, caller }), quota: quotaKey({ ...call, caller }) }
    return next(call)
  })
  await connect(server, { principal: { name: principal } }).call('look')
  if (!keys) throw new Error('no call')
  return keys
}

test('what a principal has at one part of a server is not there at another, and counts together', async () => {
  const all = await Promise.all([
    keysOf('ada'),
    keysOf('ada', 'desk'),
    keysOf('ada', 'lab'),
    keysOf('bob', 'desk'),
    // A subject may be any text.
    keysOf('view:desk\nprincipal:ada'),
  ])
  expect(new Set(all.map(({ own }) => own)).size).toBe(5)
  expect(new Set(all.slice(0, 3).map(({ quota }) => quota)).size).toBe(1)
  expect(await keysOf('ada', 'desk')).toEqual(all[1])
})
