import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { newToken } from '@causeway/engine/http'
import { readArgs } from '../../src/config/args.ts'
import { assembly } from '../../src/serve/assemble.ts'
import { readConfig } from '../../src/config/config.ts'
import { servesConsole } from '../../src/serve/serve-console.ts'
import { listen } from '../../src/serve/listen-http.ts'

const folder = mkdtempSync(join(tmpdir(), 'causeway-console-'))
const tokens = join(folder, 'tokens')
writeFileSync(tokens, newToken('ada').line)
afterAll(() => rmSync(folder, { recursive: true }))

const configOf = (...args: readonly string[]) =>
  readConfig(
    readArgs(['--http', '--port', '0', '--preset', 'basics', '--root', folder, '--log-level', 'silent', ...args]),
    {},
  )

test('the console is on by loopback and where tokens are required, and off where anyone could look', () => {
  expect(servesConsole(configOf())).toBe(true)
  expect(servesConsole(configOf('--console', 'off'))).toBe(false)
  expect(servesConsole(configOf('--host', '0.0.0.0', '--token-file', tokens))).toBe(true)
  expect(servesConsole(configOf('--host', '0.0.0.0', '--allow-anonymous'))).toBe(false)
  expect(() => servesConsole(configOf('--host', '0.0.0.0', '--allow-anonymous', '--console', 'on'))).toThrow(
    '--console on needs --token-file FILE or --auth-issuer URL on 0.0.0.0',
  )
  expect(() => configOf('--console', 'maybe')).toThrow("Unknown console 'maybe'")
})

test('the page and the stream are served, with what each pack brings; off, neither is', async () => {
  const config = configOf()
  const assembled = await assembly(config)
  const service = await listen({ ...assembled, store: undefined }, config)
  try {
    const page = await fetch(`${service.url}/`)
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    const ending = new AbortController()
    const stream = await fetch(`${service.url}/console/events`, { signal: ending.signal })
    const first = new TextDecoder().decode((await stream.body?.getReader().read())?.value)
    expect(first).toContain('"groups":[{"name":"basics","kind":"pack","tools":["add_numbers"')
    ending.abort()
  } finally {
    assembled.feed?.close()
    await service.close()
  }
  const off = configOf('--console', 'off')
  const quiet = await listen({ ...(await assembly(off)), store: undefined }, off)
  try {
    expect((await fetch(`${quiet.url}/`)).status).toBe(404)
    expect((await fetch(`${quiet.url}/console/events`)).status).toBe(404)
  } finally {
    await quiet.close()
  }
})
