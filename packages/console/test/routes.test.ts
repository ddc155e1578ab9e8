import { readdirSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createServer, tool } from '@causeway/engine'
import { newToken } from '@causeway/engine/http'
import { request } from 'node:http'
import { serveConsole } from './browser/served.ts'
import type { Served } from './browser/served.ts'

const page = fileURLToPath(new URL('../dist/page/', import.meta.url))
let served: Served

const echo = (): ReturnType<typeof createServer> =>
  createServer({ name: 'x', version: '1', log: false }).add(tool({ name: 'echo' }, () => 'x'))

beforeAll(async () => {
  served = await serveConsole(echo())
})
afterAll(() => served.close())

/** Answers with the headers as they came: a fetch would choose some of its own. */
const get = (path: string, headers: Record<string, string> = {}, url = served.url): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const asking = request(new URL(path, url), { headers }, response => {
      let body = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => {
        body += chunk
        if (body.includes('event: history') && body.endsWith('\n\n')) response.destroy()
      })
      response.on('close', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }))
    })
    asking.on('error', reject)
    asking.end()
  })

interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: string
}

test('the page is small, and everything it loads comes from here', async () => {
  const { status, headers, body } = await get('/')
  expect(status).toBe(200)
  expect(headers['cache-control']).toBe('no-store')
  const loaded = [...body.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path = '']) => path)
  expect(loaded.length).toBeGreaterThan(2)
  expect(loaded.every(path => path.startsWith('./console/assets/'))).toBe(true)
  expect(body).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\son\w+=|style=/)
  for (const path of loaded) {
    const asset = await get(path, { 'accept-encoding': 'gzip' })
    expect([asset.status, asset.headers['content-encoding']]).toEqual([200, 'gzip'])
    expect(asset.headers['cache-control']).toContain('immutable')
  }
  const compressed = readdirSync(page, { recursive: true, encoding: 'utf8' }).filter(name => name.endsWith('.gz'))
  const bytes = compressed.reduce((sum, name) => sum + statSync(`${page}${name}`).size, 0)
  expect(bytes).toBeGreaterThan(10_000)
  expect(bytes).toBeLessThan(250_000)
})

test('nothing inline, nothing from elsewhere, in no frame', async () => {
  const { headers } = await get('/')
  const policy = String(headers['content-security-policy'])
  expect(policy).toContain("default-src 'none'")
  expect(policy).toContain("script-src 'self';")
  expect(policy).toContain("frame-ancestors 'none'")
  expect(policy).not.toMatch(/unsafe|\*|https?:/)
  expect(headers['x-content-type-options']).toBe('nosniff')
  expect(headers['x-frame-options']).toBe('DENY')
})

test('the stream begins with how things stand, and is for this page alone', async () => {
  const { status, body } = await get('/console/events')
  expect(status).toBe(200)
  const events = [...body.matchAll(/^event: (\w+)$/gm)].map(([, name]) => name)
  expect(events).toEqual(['hello', 'upstreams', 'history'])
  expect((await get('/console/events', { 'sec-fetch-site': 'cross-site' })).status).toBe(403)
  expect((await get('/console/events', { origin: 'https://evil.example' })).status).toBe(403)
  expect((await get('/console/events', { host: 'evil.example' })).status).toBe(403)
  expect((await get('/', { host: 'evil.example' })).status).toBe(403)
})

test('so many may watch, and no more', async () => {
  const ending = new AbortController()
  const open = (): Promise<Response> => fetch(`${served.url}/console/events`, { signal: ending.signal })
  const all = await Promise.all(Array.from({ length: 32 }, open))
  expect(all.every(({ status }) => status === 200)).toBe(true)
  expect((await open()).status).toBe(503)
  ending.abort()
  await expect.poll(async () => (await get('/console/events')).status).toBe(200)
})

test('where tokens are required the page is public, and says nothing; the stream is not', async () => {
  const { token, line } = newToken('ada', ['operator'])
  const guarded = await serveConsole(echo(), { tokens: line })
  try {
    expect((await get('/', {}, guarded.url)).status).toBe(200)
    expect((await get('/console/events', {}, guarded.url)).status).toBe(401)
    const authorization = `Bearer ${token}`
    expect((await get('/console/events', { authorization }, guarded.url)).status).toBe(200)
  } finally {
    await guarded.close()
  }
})

test('a token without the scope operator does not see what others do', async () => {
  const [operator, user] = [newToken('ada', ['operator']), newToken('bob')]
  const guarded = await serveConsole(echo(), { tokens: `${operator.line}\n${user.line}` })
  try {
    const { status, headers } = await get('/console/events', { authorization: `Bearer ${user.token}` }, guarded.url)
    const challenge = 'Bearer error="insufficient_scope", scope="operator"'
    expect([status, headers['www-authenticate']]).toEqual([403, challenge])
  } finally {
    await guarded.close()
  }
})

test('beyond loopback its own page may use a server that requires a token, and no other page', async () => {
  const { token, line } = newToken('ada', ['operator'])
  const guarded = await serveConsole(echo(), { tokens: line, host: '0.0.0.0', allowOwnPages: true })
  const authorization = `Bearer ${token}`
  try {
    const own = { host: 'box.lan:5000', origin: 'http://box.lan:5000', authorization }
    expect((await get('/console/events', own, guarded.url)).status).toBe(200)
    expect((await get('/console/events', { ...own, origin: 'http://box.lan:81' }, guarded.url)).status).toBe(403)
    expect((await get('/console/events', { host: own.host, origin: own.origin }, guarded.url)).status).toBe(401)
  } finally {
    await guarded.close()
  }
})
