import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Params, Server } from '@causeway/engine'
import { connect } from '@causeway/engine/testing'
import { expect, test } from 'vitest'
import { readArgs } from '../../src/config/args.ts'
import { readConfig } from '../../src/config/config.ts'
import { assemble } from '../../src/serve/assemble.ts'

const served = (...flags: string[]): Promise<Server> =>
  assemble(readConfig(readArgs(['--pack', 'basics', '--log-level', 'silent', ...flags]), {}))

const urisOf = async (server: Server): Promise<unknown[]> =>
  ((await connect(server).request('skills/list')).skills as Params[]).map(({ uri }) => uri)

test('--skills serves folders of skills, and those that come with Causeway', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'skills-'))
  mkdirSync(join(folder, 'mine'))
  writeFileSync(join(folder, 'mine/SKILL.md'), '---\nname: mine\ndescription: Mine\n---\n')
  const uris = await urisOf(await served('--skills', folder, '--skills', 'builtin'))
  expect(uris).toContain('skill://mine/SKILL.md')
  expect(uris).toContain('skill://review-endpoint/SKILL.md')
})

test('without --skills there are none', async () => {
  await expect(connect(await served()).request('skills/list')).rejects.toMatchObject({ code: -32601 })
})

test('a folder that cannot be read is refused', async () => {
  await expect(served('--skills', '/no/such/folder')).rejects.toThrow(/--skills cannot be used: .*\/no\/such\/folder/)
})

test('--cache-ttl says how long lists may be kept', async () => {
  const client = connect(await served('--cache-ttl', '5m'))
  expect(await client.request('tools/list')).toMatchObject({ ttlMs: 300_000, cacheScope: 'private' })
  expect(await connect(await served()).request('tools/list')).toMatchObject({ ttlMs: 0 })
  await expect(async () => served('--cache-ttl', 'soon')).rejects.toThrow('--cache-ttl must be a time')
})
