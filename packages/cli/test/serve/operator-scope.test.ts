import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { newToken } from '@causeway/engine/http'
import type { HttpService } from '@causeway/engine/http'
import { afterEach, expect, test } from 'vitest'
import { readArgs } from '../../src/config/args.ts'
import { readConfig } from '../../src/config/config.ts'
import { assembly } from '../../src/serve/assemble.ts'
import { listen } from '../../src/serve/listen-http.ts'

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup()
})

/** A server over HTTP, with that token file if any; what it warned of. */
async function served(tokens?: string): Promise<{ url: string; warnings: string[] }> {
  const folder = mkdtempSync(join(tmpdir(), 'causeway-scope-'))
  cleanups.push(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'tokens'), tokens ?? '')
  writeFileSync(join(folder, 'servers.json'), '{"mcpServers":{}}')
  const flags = [
    '--http',
    '--port',
    '0',
    '--pack',
    'basics',
    '--log-level',
    'silent',
    '--servers',
    join(folder, 'servers.json'),
  ]
  const config = readConfig(
    readArgs(['serve', ...flags, ...(tokens === undefined ? [] : ['--token-file', join(folder, 'tokens')])]),
    {},
  )
  const assembled = await assembly(config)
  const warnings: string[] = []
  const log: typeof assembled.server.log = (level, message) => void (level === 'warn' && warnings.push(message))
  const server = Object.assign(assembled.server, { log })
  const service: HttpService = await listen({ ...assembled, server, store: undefined }, config)
  cleanups.push(
    () => assembled.gateway?.close(),
    () => service.close(),
    () => assembled.feed?.close(),
  )
  return { url: service.url, warnings }
}

const PATHS = ['/metrics', '/health/upstreams', '/console/events']

async function statuses(url: string, token?: string): Promise<number[]> {
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` }
  return Promise.all(
    PATHS.map(async path => {
      const ending = new AbortController()
      const { status } = await fetch(url + path, { headers, signal: ending.signal })
      ending.abort()
      return status
    }),
  )
}

test('what all clients do is shown to operators, where tokens are required', async () => {
  const [operator, user] = [newToken('ada', ['operator']), newToken('bob')]
  const { url, warnings } = await served(`${operator.line}\n${user.line}\n`)
  expect(await statuses(url)).toEqual([401, 401, 401])
  expect(await statuses(url, user.token)).toEqual([403, 403, 403])
  expect(await statuses(url, operator.token)).toEqual([200, 200, 200])
  const refused = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${user.token}` } })
  expect(refused.headers.get('www-authenticate')).toBe('Bearer error="insufficient_scope", scope="operator"')
  expect(await refused.json()).toMatchObject({ error: { message: expect.stringContaining("the scope 'operator'") } })
  expect(warnings).toEqual([])
})

test('without tokens, on loopback, it is shown to anyone', async () => {
  const { url, warnings } = await served()
  expect(await statuses(url)).toEqual([200, 200, 200])
  expect(warnings).toEqual([])
})

test('a token file without an operator is warned of, with what to do', async () => {
  const { warnings } = await served(`${newToken('bob').line}\n`)
  expect(warnings).toEqual([expect.stringContaining('causeway token NAME --scope operator')])
})
