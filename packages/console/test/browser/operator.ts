import AxeBuilder from 'axe-core'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createServer, tool } from '@causeway/engine'
import { connect } from '@causeway/engine/testing'
import { newToken } from '@causeway/engine/http'
import { copied, go, needsBrowser, open, sharedBrowser } from './browser.ts'
import type { Watched } from './browser.ts'
import { serveConsole } from './served.ts'
import type { Served } from './served.ts'
import { exhibits } from './exhibits.ts'

const upstreams = [
  { name: 'files', state: 'running', calls: 7, tools: 5, restarts: 2, log: ['ready'] },
  { name: 'broken', state: 'failed', calls: 0, problem: 'spawn ENOENT', log: [] },
]

describe('in a browser', needsBrowser, () => {
  let browser: Browser
  let served: Served
  let watched: Watched | undefined

  beforeAll(async () => {
    browser = await sharedBrowser()
    served = await serveConsole(exhibits(), {
      feed: {
        upstreams: () => upstreams,
        facts: () => ({ command: ['node', 'causeway.js'], virtual: ['docs'] }),
      },
    })
  })
  afterAll(async () => {
    await served?.close()
  })
  afterEach(async () => {
    await watched?.close()
    watched = undefined
  })

  const at = async (hash: string, url = served.url): Promise<Page> =>
    (watched = await open(browser, `${url}/${hash}`)).page
  const call = (name: string, args: unknown = {}): Promise<unknown> =>
    fetch(`${served.url}/rpc`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }),
    }).then(response => response.json())

  test('calls are seen as they happen, filtered, paused, opened and run again', async () => {
    await call('add_numbers', { number1: 1, number2: 1 })
    const page = await at('#/live')
    const row = (name: string): ReturnType<Page['getByRole']> => page.getByRole('button', { name: new RegExp(name) })
    await row('add_numbers').waitFor()
    await call('fails')
    await row('fails').waitFor()
    await page.getByRole('group', { name: 'Outcome' }).getByRole('button', { name: 'Failed' }).click()
    expect(await row('add_numbers').count()).toBe(0)
    await page.getByRole('group', { name: 'Outcome' }).getByRole('button', { name: 'All' }).click()
    await page.getByRole('searchbox', { name: 'Search' }).fill('add_')
    await row('fails').waitFor({ state: 'detached' })
    await page.getByRole('searchbox', { name: 'Search' }).fill('')
    await page.getByRole('button', { name: 'Pause' }).click()
    await call('markdown')
    await page.getByText('Paused; 1 call since').waitFor()
    expect(await row('markdown').count()).toBe(0)
    await page.getByRole('button', { name: 'Resume' }).click()
    await row('markdown').waitFor()
    await row('add_numbers').click()
    await page.getByRole('button', { name: 'Run again…' }).click()
    expect(await page.getByLabel('number1', { exact: true }).inputValue()).toBe('1')
  })

  test('secrets are masked, and the log and the figures are there', async () => {
    served.feed.tee(() => {})('warn', 'something odd', { password: 'hunter2' })
    await call('everything', {
      name: 'Ada',
      place: { city: 'Oslo' },
      labels: { api_key: 'sk-verysecretvalue1234567890' },
    })
    const page = await at('#/live')
    await page.getByRole('button', { name: /everything/ }).click()
    await page.getByRole('region', { name: 'Call of everything' }).waitFor()
    await page.getByRole('button', { name: 'Log', exact: true }).click()
    await page.getByText(/something odd/).waitFor()
    expect(await page.content()).not.toMatch(/hunter2|verysecret/)
    await page.getByRole('img', { name: /^Memory, the last \d+ seconds/ }).waitFor()
  })

  test('servers behind this one are shown with their health and logs', async () => {
    const page = await at('#/servers')
    const files = page.getByRole('region', { name: 'files' })
    await files.getByText('running', { exact: true }).waitFor()
    expect(await files.innerText()).toContain('Restarts')
    await files.getByText('Log, 1 line').click()
    await files.getByText('ready').waitFor()
    await page.getByRole('region', { name: 'broken' }).getByText('spawn ENOENT').waitFor()
  })

  test('a snippet for each client is copied with one click', async () => {
    const page = await at('#/connect')
    await page.getByRole('region', { name: 'Claude Code' }).getByRole('button', { name: 'Copy', exact: true }).click()
    expect(await copied(page)).toBe(`claude mcp add --transport http causeway ${served.url}/mcp`)
    await page.getByLabel('Virtual server', { exact: true }).selectOption('docs')
    await page.getByText(`claude mcp add --transport http causeway-docs ${served.url}/mcp/docs`).waitFor()
    await page.getByRole('button', { name: 'Started by the client' }).click()
    await page.getByText('claude mcp add causeway -- node causeway.js').waitFor()
  })

  test('at 1280 pixels, nothing on Live is wider than its card: N M2', async () => {
    const long = 'upstream-unavailable'
    const record = { time: new Date().toISOString(), principal: null, client: null, transport: 'http', revision: '' }
    const page = await at('#/live')
    await page.getByText('Latency, p50 / p95').waitFor()
    // What comes before the page listens is not shown, so it is sent until it is.
    let sent = 0
    const shown = async (): Promise<number> => {
      const call = { ...record, id: `w2.${++sent}`, tool: 'slow', outcome: long, durationMs: 1 }
      served.feed.fromPeer('w2', { calls: [call] })
      return page.getByText(long, { exact: true }).count()
    }
    await expect.poll(shown, { timeout: 60_000, interval: 200 }).toBeGreaterThan(0)
    const tooWide = await page.locator('.figure strong, .call .badge').evaluateAll(all =>
      all
        .filter(one => {
          const right = one.closest('.card')?.getBoundingClientRect().right ?? 0
          return one.scrollWidth > one.clientWidth + 1 || one.getBoundingClientRect().right > right
        })
        .map(one => one.textContent),
    )
    expect(tooWide).toEqual([])
  })

  test('a server that is gone is named in words, and narrow pages show every view', async () => {
    const gone = await serveConsole(exhibits())
    watched = await open(browser, `${gone.url}/#/tools/markdown`, { viewport: { width: 390, height: 800 } })
    const { page, errors } = watched
    for (const view of ['Tools', 'Live', 'Servers', 'Connect']) {
      const box = await page.getByRole('navigation').getByRole('link', { name: view }).boundingBox()
      expect((box?.x ?? 999) + (box?.width ?? 999)).toBeLessThanOrEqual(390)
    }
    await page.getByRole('button', { name: 'Theme: system' }).waitFor()
    await page.getByRole('button', { name: 'Run', exact: true }).waitFor()
    await gone.close()
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await page
      .getByText(/The server cannot be reached/)
      .first()
      .waitFor()
    errors.length = 0
  })

  test('where tokens are required the page asks for one, and keeps it nowhere', async () => {
    const { token, line } = newToken('ada', ['operator'])
    const guarded = await serveConsole(exhibits(), { tokens: line })
    try {
      const page = await at('', guarded.url)
      await page.getByLabel('Token').fill('wrong')
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByText('The server did not accept that token.').waitFor()
      await page.getByLabel('Token').fill(token)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('link', { name: 'add_numbers', exact: true }).waitFor()
      const kept = await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])')
      expect(kept).not.toContain(token)
      await go(page, '#/connect')
      await page.getByText(`Authorization: Bearer ${token}`).first().waitFor()
      await go(page, '#/tools/markdown')
      await page.getByRole('button', { name: 'Run', exact: true }).click()
      await go(page, '#/live')
      await page.getByRole('button', { name: /markdown ada/ }).waitFor()
      await page.reload()
      await page.getByLabel('Token').waitFor()
      // The refusals are what this test is about.
      if (watched) watched.errors.length = 0
    } finally {
      await guarded.close()
    }
  })

  test('of ten thousand tools and ten thousand calls only those in sight are drawn', async () => {
    const many = createServer({ name: 'many', version: '1', log: false })
    for (let i = 0; i < 10_000; i++)
      many.add(tool({ name: `tool_${i}`, description: `Does the thing number ${i}` }, () => 'x'))
    const large = await serveConsole(many)
    try {
      const page = await at('', large.url)
      await page.getByText('10,000 tools').waitFor()
      await page.getByRole('searchbox', { name: 'Search' }).fill('number 9999')
      await page.getByRole('link', { name: 'tool_9999', exact: true }).waitFor()
      expect(await page.locator('li').count()).toBeLessThan(100)
      await page.getByRole('searchbox', { name: 'Search' }).fill('')
      await page.locator('.virtual').evaluate(box => (box.scrollTop = box.scrollHeight))
      await page.getByRole('link', { name: 'tool_9999', exact: true }).waitFor()
      const client = connect(many)
      for (let i = 0; i < 10_000; i++) await client.call(`tool_${i}`, {})
      await page.reload()
      await go(page, '#/live')
      const rows = page.locator('button.call')
      await rows.first().waitFor()
      expect(await rows.first().innerText()).toContain('tool_9999')
      expect(await rows.count()).toBeLessThan(100)
      await page.locator('.virtual').evaluate(box => (box.scrollTop = box.scrollHeight))
      await page.getByRole('button', { name: /tool_0\b/ }).waitFor()
      await page.getByRole('searchbox', { name: 'Search' }).fill('tool_4321')
      await page.getByRole('button', { name: /tool_4321/ }).waitFor()
    } finally {
      await watched?.close()
      watched = undefined
      await large.close()
    }
  })

  for (const [scheme, width] of [
    ['light', 1280],
    ['dark', 390],
  ] as const) {
    test(`nobody is shut out: axe finds nothing serious, ${scheme}, ${width} wide`, async () => {
      watched = await open(browser, `${served.url}/#/tools`, {
        colorScheme: scheme,
        viewport: { width, height: 800 },
        bypassCSP: true,
      })
      const { page } = watched
      const wide = ['tools', 'resources/note%3A%2F%2Ftoday', 'prompts/brief', 'servers', 'connect']
      const views = ['tools/everything', 'tools/add_numbers', 'live', ...(width > 900 ? wide : [])]
      const found: unknown[] = []
      await page.evaluate(AxeBuilder.source)
      for (const view of views) {
        await go(page, `#/${view}`)
        await page.locator('h1:visible').first().waitFor()
        if (view === 'tools/add_numbers') {
          await page.getByRole('button', { name: 'Run', exact: true }).click()
          await page.getByRole('region', { name: 'Result' }).getByText('failed', { exact: true }).waitFor()
        }
        const { violations } = await page.evaluate(() =>
          (globalThis as unknown as { axe: Axe }).axe.run({ resultTypes: ['violations'] }),
        )
        const bad = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
        found.push(
          ...bad.map(({ id, nodes }) => `${view}: ${id} ${nodes.map(node => node.html.slice(0, 120)).join(' | ')}`),
        )
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
      }
      expect(found).toEqual([])
    })
  }
})

interface Axe {
  run(options: unknown): Promise<{ violations: Violation[] }>
}

interface Violation {
  readonly id: string
  readonly impact: string
  readonly nodes: readonly { readonly html: string }[]
}
