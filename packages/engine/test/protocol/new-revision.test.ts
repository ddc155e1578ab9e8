import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import type * as Engine from '../../src/index.ts'
import type * as Testing from '../../src/testing.ts'
import type * as Revisions from '../../src/protocol/revisions.ts'

/**
 * A copy of the engine in which somebody published a newer revision: one new file, and one line of the revision before
 * it. It renamed a member, brought a method and a question, and let every result carry a greeting.
 */
const FILE = `
import { isObject } from '../../jsonrpc/message.ts'
import { neutral as next } from '../neutral.ts'
import { before } from '../revision.ts'
import type { Chained } from '../revision.ts'

export const v2027_03_01: Chained = before(next, {
  version: '2027-03-01',
  with: ['tools/preview'],
  stamp: {
    put: (result, call, server) => ({ ...next.stamp.put(result, call, server), greeting: 'hello' }),
    takeOff: ({ greeting: _, ...result }) => next.stamp.takeOff(result),
  },
  earlier: {
    without: ['tools/preview'],
    stamp: next.stamp,
    write: { results: { 'tools/call': ({ shape: _, ...result }) => result } },
    read: { results: { 'tools/call': result => (isObject(result) ? { shape: 'plain', ...result } : result) } },
  },
})
`
const OLD_LINE = `import { neutral as next } from '../neutral.ts'`
const NEW_LINE = `import { v2027_03_01 as next } from './2027-03-01.ts'`

const source = fileURLToPath(new URL('../../src/', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'causeway-revision-'))
afterAll(() => rmSync(folder, { recursive: true }))
cpSync(source, join(folder, 'src'), { recursive: true })
symlinkSync(fileURLToPath(new URL('../../../../node_modules', import.meta.url)), join(folder, 'node_modules'))
const place = join(folder, 'src/protocol/revisions')
writeFileSync(join(place, '2027-03-01.ts'), FILE)
const before = readFileSync(join(place, '2026-07-28.ts'), 'utf8')
writeFileSync(join(place, '2026-07-28.ts'), before.replace(OLD_LINE, NEW_LINE))

test('a newer revision is one new file and one changed line', async () => {
  expect(before.split(OLD_LINE)).toHaveLength(2)
  const { createServer, versions, tool } = (await import(join(folder, 'src/index.ts'))) as typeof Engine
  const { connect } = (await import(join(folder, 'src/testing.ts'))) as typeof Testing
  expect(versions.slice(0, 3)).toEqual(['2027-03-01', '2026-07-28', '2025-11-25'])
  const server = createServer({ name: 's', version: '1' }).add(
    tool({ name: 'x' }, () => ({ content: [], shape: 'round' })),
  )
  const answers = Object.fromEntries(
    await Promise.all(
      versions.map(async version => [version, await connect(server, { version }).request('tools/call', { name: 'x' })]),
    ),
  )
  const _meta = { 'io.modelcontextprotocol/serverInfo': { name: 's', version: '1' } }
  expect(answers['2027-03-01']).toEqual({
    content: [],
    shape: 'round',
    resultType: 'complete',
    greeting: 'hello',
    _meta,
  })
  // The one before it has no session either, and keeps what its results always carried.
  expect(answers['2026-07-28']).toEqual({ content: [], resultType: 'complete', _meta })
  for (const version of versions.slice(2)) expect(answers[version]).toEqual({ content: [] })
  const discovered = await connect(server).request('server/discover')
  expect(discovered.supportedVersions).toEqual(versions)
})

test('its predecessors read as it does', async () => {
  const { find } = (await import(join(folder, 'src/protocol/revisions.ts'))) as typeof Revisions
  expect(find('2027-03-01')?.methods.has('tools/preview')).toBe(true)
  for (const version of ['2026-07-28', '2024-11-05']) {
    expect(find(version)?.methods.has('tools/preview')).toBe(false)
    expect(find(version)?.readResult('tools/call', { content: [] })).toEqual({ content: [], shape: 'plain' })
  }
  expect(find('2026-07-28')?.era).toBe('stateless')
})
