import { describe, expect, test } from 'vitest'
import { judgeOf } from '../support/official-schema.ts'
import { ALL } from '../support/scenario.ts'

const answer = (result: unknown): Record<string, unknown> => ({ jsonrpc: '2.0', id: 1, result })
const stamp = (version: string, more: object = {}): object =>
  version === '2026-07-28' ? { resultType: 'complete', ...more } : {}

describe.each(ALL)('the judge of %s', version => {
  const judge = judgeOf(version)
  const tool = { name: 'x', inputSchema: { type: 'object' } }
  const kept = stamp(version, { ttlMs: 0, cacheScope: 'private' })

  test('has nothing to say of what is right', () => {
    expect(judge.answer(answer({ tools: [tool], ...kept }), 'tools/list')).toEqual([])
    expect(judge.answer(answer({ content: [], ...stamp(version) }), 'tools/call')).toEqual([])
    expect(judge.answer({ jsonrpc: '2.0', id: 1, error: { code: 1, message: 'x' } }, 'tools/call')).toEqual([])
    expect(judge.sent({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' })).toEqual([])
  })

  test('objects to what is missing or of the wrong type', () => {
    expect(judge.answer(answer({ tools: [{ name: 'x' }], ...kept }), 'tools/list')).not.toEqual([])
    expect(judge.answer(answer({ content: 'words', ...stamp(version) }), 'tools/call')).not.toEqual([])
    expect(judge.answer({ id: 1, result: {} }, 'ping')).not.toEqual([])
    expect(judge.answer({ jsonrpc: '2.0', id: 1, error: { code: 1.5, message: 'x' } }, '')).not.toEqual([])
    expect(judge.answer({ jsonrpc: '2.0', id: 1.5, error: { code: 1, message: 'x' } }, '')).not.toEqual([])
    expect(judge.sent({ jsonrpc: '2.0', method: 'notifications/progress', params: { progress: 1 } })).not.toEqual([])
  })

  test('objects to members of another revision', () => {
    const leaks: Record<string, unknown> = {
      annotations: { readOnlyHint: true },
      title: 'X',
      icons: [{ src: 'https://example.com' }],
      execution: { taskSupport: 'optional' },
    }
    const has = (member: string): boolean =>
      member === 'annotations'
        ? version >= '2025-03-26'
        : member === 'title'
          ? version >= '2025-06-18'
          : member === 'icons'
            ? version >= '2025-11-25'
            : version === '2025-11-25'
    for (const [member, value] of Object.entries(leaks)) {
      const said = judge.answer(answer({ tools: [{ ...tool, [member]: value }], ...kept }), 'tools/list')
      expect(said.length === 0, member).toBe(has(member))
    }
    const newest = answer({ content: [], resultType: 'complete' })
    expect(judge.answer(newest, 'tools/call').length === 0).toBe(version === '2026-07-28')
  })

  test('objects to what only clients, other revisions or nobody may send', () => {
    expect(judge.sent({ jsonrpc: '2.0', method: 'notifications/initialized' })).not.toEqual([])
    expect(judge.sent({ jsonrpc: '2.0', method: 'notifications/nonsense' })).not.toEqual([])
    const question = { jsonrpc: '2.0', id: 1, method: 'roots/list' }
    expect(judge.sent(question).length === 0).toBe(version !== '2026-07-28')
    const ack = { jsonrpc: '2.0', method: 'notifications/subscriptions/acknowledged', params: { notifications: {} } }
    expect(judge.sent(ack).length === 0).toBe(version === '2026-07-28')
  })

  test('knows how an answer to nobody looks', () => {
    const error = { code: -32700, message: 'Parse error' }
    expect(judge.answer({ jsonrpc: '2.0', id: null, error }, '').length === 0).toBe(version < '2025-11-25')
    expect(judge.answer({ jsonrpc: '2.0', error }, '').length === 0).toBe(version >= '2025-11-25')
  })
})
