import { readFileSync } from 'node:fs'
import { createServer as createHttp } from 'node:http'
import type { Server as HttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createServer, tool, versions } from '@causeway/engine'
import { serveHttp } from '@causeway/engine/http'
import type { HttpService } from '@causeway/engine/http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ROOT } from '../../../../test/support/spawned.ts'
import { CLIENT_LIMITS, TOOL_LIMITS } from '@causeway/engine/internal'
import { RULES } from '@causeway/engine/internal'
import { runHere } from '../support/here.ts'

const clean = createServer({ name: 'clean', version: '1.2.3' }).add(
  tool(
    { name: 'ping', description: 'Answers, so that a client knows the server is there.', readOnly: true },
    () => 'pong',
  ),
)
const dirty = createServer({ name: 'dirty', version: '1.0.0' }).add(tool({ name: 'do.it' }, () => 'done'))

let services: HttpService[]
let guarded: HttpServer
const url = (at: number): string => `http://127.0.0.1:${services[at]?.port}/mcp`
const guardedUrl = (): string => `http://127.0.0.1:${(guarded.address() as AddressInfo).port}/mcp`

beforeAll(async () => {
  services = await Promise.all([clean, dirty].map(server => serveHttp(server, { port: 0 })))
  guarded = createHttp((request, response) => {
    if (request.url?.startsWith('/.well-known/')) {
      response.end(JSON.stringify({ authorization_servers: ['https://login.example.com'] }))
      return
    }
    const metadata = `http://${request.headers.host}/.well-known/oauth-protected-resource`
    response.writeHead(401, { 'www-authenticate': `Bearer resource_metadata="${metadata}", scope="read write"` }).end()
  })
  await new Promise<void>(resolve => void guarded.listen(0, '127.0.0.1', resolve))
})
afterAll(async () => {
  guarded.close()
  await Promise.all(services.map(service => service.close()))
})

describe('causeway inspect URL', () => {
  test('says what a server speaks and offers; a clean one ends with 0', async () => {
    const { code, stdout } = await runHere(['inspect', url(0)])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^server +clean 1\.2\.3$/m)
    for (const version of versions) expect(stdout).toContain(version)
    expect(stdout).toMatch(/^transports +Streamable HTTP/m)
    expect(stdout).toContain('0 errors, 0 warnings')
  })

  test('findings end with 1, as JSON and as SARIF', async () => {
    const { code, stdout } = await runHere(['inspect', url(1), '--json'])
    expect(code).toBe(1)
    const { findings, revisions, tools } = JSON.parse(stdout) as Record<string, { rule: string; level: string }[]>
    expect(findings?.map(({ rule }) => rule)).toEqual(expect.arrayContaining(['name-refused', 'description-missing']))
    expect(revisions?.length).toBe(versions.length)
    expect(tools).toEqual([{ name: 'do.it', tokens: expect.any(Number) }])
    const sarif = JSON.parse((await runHere(['inspect', url(1), '--sarif'])).stdout) as {
      version: string
      runs: { results: { ruleId: string; level: string }[]; tool: { driver: { rules: { id: string }[] } } }[]
    }
    expect(sarif.version).toBe('2.1.0')
    expect(sarif.runs[0]?.tool.driver.rules.map(({ id }) => id)).toEqual(Object.keys(RULES))
    expect(sarif.runs[0]?.results).toContainEqual(expect.objectContaining({ ruleId: 'name-refused', level: 'error' }))
  })

  test('a login is explained, and ends with 7', async () => {
    const { code, stdout, stderr } = await runHere(['inspect', guardedUrl(), '--json'])
    expect(code).toBe(7)
    expect(JSON.parse(stdout)).toMatchObject({
      login: { scheme: 'Bearer', scopes: ['read', 'write'], authorizationServers: ['https://login.example.com'] },
    })
    expect(stderr).toContain('requires a login')
  })

  test.each([
    [['inspect'], 2, 'Name a URL or a command'],
    [['inspect', 'http://127.0.0.1:1/mcp'], 6, 'cannot be used'],
    [['inspect', '--', 'no-such-program-of-anybody', '-y'], 6, 'could not be started'],
    [['inspect', 'gopher://x'], 2, '--url must be an address'],
  ])('%j ends with %i', async (words, code, said) => {
    const outcome = await runHere(words)
    expect(outcome.stderr).toContain(said)
    expect(outcome.code).toBe(code)
  })
})

test('the docs describe every rule, and every limit with its source', () => {
  const page = readFileSync(join(ROOT, 'docs/inspect.md'), 'utf8')
  for (const [rule, { about }] of Object.entries(RULES))
    expect(page).toContain(`| \`${rule}\` | ${RULES[rule as keyof typeof RULES].level} | ${about} |`)
  for (const { client, what, source } of CLIENT_LIMITS)
    expect(page).toContain(`| ${client} | ${what} | [report](${source}) |`)
  for (const { client, most, source } of TOOL_LIMITS)
    expect(page).toContain(`| ${client} | more than ${most} tools of all servers together | [report](${source}) |`)
})
