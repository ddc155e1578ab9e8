import { createServer, tool } from '@causeway/engine'
import { approval, audit, followedRights, observe } from '@causeway/engine/policies'
import type { ApprovalOptions, AuditEntry } from '@causeway/engine/policies'
import { memoryStore } from '@causeway/engine/stores'
import { connect } from '@causeway/engine/testing'
import type { AskedOfClient } from '@causeway/engine/testing'
import type { Server } from '@causeway/engine'
import { describe, expect, test } from 'vitest'
import { ALL_CAPABILITIES } from '../../src/protocol/asks.ts'
import { META } from '../../src/protocol/keys.ts'
import { isStatelessVersion, versions } from '../../src/protocol/revisions.ts'

interface Made {
  readonly server: Server
  readonly ran: string[]
  readonly entries: AuditEntry[]
}

function made(options: Partial<ApprovalOptions> = {}, rights = followedRights()): Made {
  const ran: string[] = []
  const entries: AuditEntry[] = []
  const server = createServer({ name: 'test', version: '1', log: false, rights })
  server.use(
    observe([audit(entry => entries.push(entry))]),
    approval(server, { rules: ['destructive'], store: memoryStore(), ...options }),
  )
  const input = {
    type: 'object',
    properties: { path: { type: 'string' }, password: { type: 'string' }, confirm: { type: 'boolean' } },
  } as const
  const did = (name: string) => (): string => {
    ran.push(name)
    return name
  }
  server.add(
    tool({ name: 'wipe', destructive: true, input }, did('wipe')),
    tool({ name: 'unknown' }, did('unknown')),
    tool({ name: 'append', destructive: false }, did('append')),
    tool({ name: 'look', readOnly: true }, did('look')),
    tool({ name: 'asks', destructive: true }, async (_, ctx) => {
      const sure = await ctx.elicit('sure', { message: 'Sure?', schema: { type: 'object', properties: {} } as const })
      ran.push(`asks ${sure.action}`)
      return 'asked'
    }),
  )
  return { server, ran, entries }
}

const accept = (): object => ({ action: 'accept', content: {} })
// Where clients can be asked for forms.
const asking = versions.filter(version => version >= '2025-06')

describe('a tool that may destroy', () => {
  test('runs when a person approves it, in every revision, and the audit says who', async () => {
    for (const version of asking) {
      const { server, ran, entries } = made()
      const asked: AskedOfClient[] = []
      const answer = (one: AskedOfClient): object => {
        asked.push(one)
        return accept()
      }
      const client = connect(server, { version, answer, principal: { name: 'alice' } })
      const args = { path: 'a/b', password: 'hunter2hunter2', confirm: true }
      expect(await client.call('wipe', args), version).toBe('wipe')
      expect(await client.call('unknown'), version).toBe('unknown')
      await client.call('append')
      await client.call('look')
      const [first] = asked
      expect(asked, version).toHaveLength(2)
      const message = String(first?.params.message)
      for (const part of ["'wipe'", 'overwrite or delete', '"path":"a/b"', 'alice']) expect(message).toContain(part)
      expect(message).not.toContain('hunter2')
      expect(ran).toEqual(['wipe', 'unknown', 'append', 'look'])
      expect(entries.findLast(({ tool }) => tool === 'wipe')).toMatchObject({ outcome: 'ok', approvedBy: 'alice' })
    }
  })

  test('does not run if the person declines, or cannot be asked, and the refusal says why', async () => {
    for (const version of versions) {
      const { server, ran } = made()
      await expect(connect(server, { version }).call('wipe', { confirm: true }), version).rejects.toThrow(
        'cannot ask one',
      )
      if (!asking.includes(version)) continue
      for (const action of ['decline', 'cancel'])
        await expect(connect(server, { version, answer: () => ({ action }) }).call('wipe'), version).rejects.toThrow(
          'declined',
        )
      expect(ran).toEqual([])
    }
  })

  test('may ask something itself; the approval is not asked for again', async () => {
    for (const version of asking) {
      const { server, ran } = made()
      const messages: unknown[] = []
      const answer = ({ params }: AskedOfClient): object => {
        messages.push(params.message)
        return accept()
      }
      expect(await connect(server, { version, answer }).call('asks'), version).toBe('asked')
      expect([messages.length, ran], version).toEqual([2, ['asks accept']])
    }
  })
})

describe('an approval', () => {
  const version = versions.find(isStatelessVersion) ?? ''
  const meta = {
    [META.protocolVersion]: version,
    [META.clientInfo]: { name: 'x', version: '1' },
    [META.clientCapabilities]: ALL_CAPABILITIES,
  }

  test('is for these arguments, and for one run', async () => {
    const { server, ran } = made()
    const client = connect(server, { version })
    const send = async (params: object): Promise<string> =>
      String(
        await client.raw(
          JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { ...params, _meta: meta } }),
        ),
      )
    const asked = JSON.parse(await send({ name: 'wipe', arguments: { path: 'a' } })) as {
      result: Record<string, unknown>
    }
    const { requestState, inputRequests } = asked.result
    const inputResponses = Object.fromEntries(Object.keys(inputRequests as object).map(key => [key, accept()]))
    expect(await send({ name: 'wipe', arguments: { path: 'b' }, requestState, inputResponses })).not.toContain(
      '"wipe"}',
    )
    expect(await send({ name: 'wipe', arguments: { path: 'a' }, inputResponses })).toContain('input_required')
    expect(ran).toEqual([])
    const approved = { name: 'wipe', arguments: { path: 'a' }, requestState, inputResponses }
    await send(approved)
    expect(ran).toEqual(['wipe'])
    expect(await send(approved)).toContain('used already')
    // What was declined cannot be accepted after all.
    const again = JSON.parse(await send({ name: 'wipe', arguments: { path: 'c' } })) as typeof asked
    const later = { name: 'wipe', arguments: { path: 'c' }, requestState: again.result.requestState }
    const declined = Object.fromEntries(Object.keys(inputRequests as object).map(key => [key, { action: 'decline' }]))
    expect(await send({ ...later, inputResponses: declined })).toContain('declined')
    expect(await send({ ...later, inputResponses })).toContain('used already')
    expect(ran).toEqual(['wipe'])
    expect(ran).toEqual(['wipe'])
  })

  test('is remembered for the tool, the folder and the session, if the person says so', async () => {
    const { server } = made({ rememberMs: 60_000 })
    let asked = 0
    const answer = (): object => {
      asked++
      return { action: 'accept', content: { remember: true } }
    }
    const client = connect(server, { version: '2025-11-25', answer })
    for (const path of ['a/x', 'a/y', './a/../a/z']) await client.call('wipe', { path })
    expect(asked).toBe(1)
    await client.call('wipe', { path: 'a/../b/x' })
    await client.call('unknown')
    await client.call('unknown')
    expect(asked).toBe(4)
    await connect(server, { version: '2025-11-25', answer }).call('wipe', { path: 'a/x' })
    expect(asked).toBe(5)
  })

  test('can be wanted by a rule of the rights, for patterns and for all that writes', async () => {
    const allow = { tools: ['*'] }
    const rights = followedRights([{ who: ['*'], allow, approve: ['look'] }])
    const { server } = made({ rules: [] }, rights)
    const client = connect(server)
    await expect(client.call('look')).rejects.toThrow('cannot ask one')
    expect(await client.call('wipe')).toBe('wipe')
    rights.replace([{ who: ['*'], allow, approve: 'writes' }])
    expect(await client.call('look')).toBe('look')
    await expect(client.call('append')).rejects.toThrow('cannot ask one')
  })
})
