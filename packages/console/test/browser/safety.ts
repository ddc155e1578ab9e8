import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { needsBrowser, open, sharedBrowser } from './browser.ts'
import { serveConsole } from './served.ts'
import type { Served } from './served.ts'
import { exhibits } from './exhibits.ts'

describe('in a browser', needsBrowser, () => {
  let browser: Browser
  let served: Served

  beforeAll(async () => {
    browser = await sharedBrowser()
    served = await serveConsole(exhibits())
  })
  afterAll(async () => {
    await served?.close()
  })

  test('what a tool returns is shown, and never run', async () => {
    const { page } = await open(browser, `${served.url}/#/tools/hostile`, {})
    const dialogs: string[] = []
    page.on('dialog', dialog => dialogs.push(dialog.message()))
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    const result = page.getByRole('region', { name: 'Result' })
    await result.getByText('ok', { exact: true }).waitFor()
    for (const way of ['JSON', 'Text', 'Rendered']) await result.getByRole('button', { name: way, exact: true }).click()
    for (const link of await result.getByRole('link').all()) {
      expect(await link.getAttribute('href')).toMatch(/^(?:https?:|#\/resources\/)/)
      await link.click({ noWaitAfter: true })
    }
    expect(await page.evaluate(() => (globalThis as { hacked?: unknown }).hacked)).toBeUndefined()
    expect(await page.locator('script:not([src])').count()).toBe(0)
    expect(dialogs).toEqual([])
    await page.context().close()
  })

  test('even a script that got in could not run, nor reach anybody else', async () => {
    const { page } = await open(browser, `${served.url}/`, {})
    const refused = await page.evaluate(`(async () => {
      const script = document.createElement('script')
      const found = []
      try {
        script.textContent = 'window.hacked = 1'
      } catch {
        found.push('text')
      }
      document.body.append(script)
      try {
        document.body.innerHTML = '<img src=x onerror="window.hacked=1">'
      } catch {
        found.push('html')
      }
      await fetch('http://127.0.0.1:9/').catch(() => found.push('fetch'))
      return { found, hacked: window.hacked }
    })()`)
    expect(refused).toEqual({ found: ['text', 'html', 'fetch'], hacked: undefined })
    await page.context().close()
  })

  test('it works without a network, and in no frame', async () => {
    const { page, foreign, errors } = await open(browser, `${served.url}/#/connect`, {})
    for (const view of ['Tools', 'Resources', 'Prompts', 'Live', 'Servers', 'Connect']) {
      await page.getByRole('link', { name: view, exact: true }).click()
      await page.getByRole('heading', { name: view, level: 1 }).waitFor()
    }
    expect(foreign).toEqual([])
    expect(errors).toEqual([])
    const frame = await page.context().newPage()
    await frame.route('http://elsewhere.test/', route =>
      route.fulfill({ contentType: 'text/html', body: `<iframe src="${served.url}/"></iframe>` }),
    )
    await frame.goto('http://elsewhere.test/')
    const inner = frame.frames().find(one => one.url().startsWith(served.url) || one.url().startsWith('chrome-error'))
    expect(await inner?.locator('.shell').count()).toBe(0)
    await page.context().close()
  })
})
