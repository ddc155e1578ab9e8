import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { Server } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'
import type { Browser, Frame, Page } from 'playwright-core'
import { rolldown } from 'rolldown'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { needs } from '../../../../test/support/needs.ts'
import { PATIENCE_MS } from '../../../../test/support/patience.ts'
import { HOSTILE, exhibits } from './exhibits.ts'
import type { Exhibit } from './exhibits.ts'

const views = fileURLToPath(new URL('../../dist/views/', import.meta.url))

/** The official host's library, for a page. */
async function hostScript(): Promise<string> {
  const input = fileURLToPath(new URL('bridge-page.ts', import.meta.url))
  const bundle = await rolldown({ input, platform: 'browser', logLevel: 'silent' })
  const { output } = await bundle.generate({ format: 'iife', minify: true })
  await bundle.close()
  return output[0].code
}

describe('views in the official host', needs('chromium'), () => {
  let browser: Browser
  let server: Server
  let page: Page
  let asked: string[] = []
  let answers = new Map<string, unknown>()
  const problems: string[] = []

  beforeAll(async () => {
    const script = await hostScript()
    server = createServer((request, response) => {
      const isScript = request.url === '/host.js'
      response.setHeader('Content-Type', isScript ? 'text/javascript' : 'text/html')
      response.end(isScript ? script : '<!doctype html><meta charset="utf-8"><body><script src="/host.js"></script>')
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const executablePath = execFileSync('sh', ['-c', 'command -v chromium'], { encoding: 'utf8' }).trim()
    browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
  })
  afterAll(async () => {
    await browser?.close()
    server?.close()
  })
  beforeEach(async () => {
    const { port } = server.address() as AddressInfo
    page = await browser.newPage({ reducedMotion: 'reduce' })
    page.setDefaultTimeout(PATIENCE_MS)
    page.on('pageerror', error => problems.push(error.message))
    page.on('dialog', dialog => problems.push(`dialog: ${dialog.message()}`))
    page.on('request', request => {
      if (!/^(?:http:\/\/127\.0\.0\.1:\d+\/(?:host\.js|favicon\.ico)?$|about:)/.test(request.url()))
        problems.push(`asked for ${request.url()}`)
    })
    await page.exposeFunction('callTool', (name: string) => {
      asked.push(name)
      const answer = answers.get(name)
      if (answer === undefined) throw new Error(`Unknown tool: ${name}`)
      return answer
    })
    await page.goto(`http://127.0.0.1:${port}/`)
    asked = []
    answers = new Map()
  })
  afterEach(async () => {
    await page.close()
    const found = problems.splice(0)
    if (found.length > 0) throw new Error(found.join('; '))
  })

  async function show({ view, input, text, structured, isError, asks }: Exhibit): Promise<Frame> {
    const toResult = (value: object, words = JSON.stringify(value)): object => ({
      content: [{ type: 'text', text: words }],
      structuredContent: value,
    })
    if (asks) answers.set(asks[0], toResult(asks[1]))
    const result = structured
      ? toResult(structured)
      : { content: [{ type: 'text', text: text ?? '' }], ...(isError && { isError }) }
    for (const tool of ['get_timeline', 'get_statistics']) if (view === 'cassini') answers.set(tool, result)
    const html = readFileSync(`${views}${view}.html`, 'utf8')
    await page.evaluate(shown => (globalThis as unknown as { show(one: object): Promise<void> }).show(shown), {
      html,
      input,
      result,
    })
    const frame = page.frames().find(one => one !== page.mainFrame())
    if (!frame) throw new Error('There is no frame')
    return frame
  }

  test.each(exhibits)('$view shows what is hostile as text, by itself, light and dark, by keyboard', async exhibit => {
    const frame = await show(exhibit)
    await frame.getByText(exhibit.shows).first().waitFor()
    if (exhibit.marks) await frame.locator('[data-mark]').first().focus()
    await expect.poll(() => frame.locator('#view').textContent()).toContain('onerror="window.hacked=1"')
    expect(asked.slice(0, 1)).toEqual(
      exhibit.asks ? [exhibit.asks[0]] : exhibit.view === 'cassini' ? ['get_timeline'] : [],
    )
    expect(
      await frame.evaluate('[window.hacked, document.querySelectorAll("#view img, #view script").length]'),
    ).toEqual([null, 0].map(one => one ?? undefined))
    for (const theme of ['dark', 'light'] as const) {
      await page.evaluate(one => (globalThis as unknown as { theme(name: string): void }).theme(one), theme)
      await expect.poll(() => frame.evaluate('document.documentElement.dataset.theme')).toBe(theme)
    }
    const heights = await page.evaluate('heights')
    expect((heights as number[]).at(-1)).toBeGreaterThan(50)
    if (!exhibit.marks) return
    const marks = frame.locator('[data-mark]')
    await marks.first().focus()
    const [first] = await frame.locator('.about').allInnerTexts()
    await page.keyboard.press('ArrowRight')
    await expect.poll(async () => (await frame.locator('.about').allInnerTexts())[0]).not.toBe(first)
    await page.keyboard.press('Home')
    await expect.poll(async () => (await frame.locator('.about').allInnerTexts())[0]).toBe(first)
  })

  test('a commit is opened by its key, and shows what it changed', async () => {
    const log = exhibits.find(({ view }) => view === 'git-log') as Exhibit
    const patch = exhibits.find(({ view }) => view === 'diff')?.text ?? ''
    answers.set('git_show', { content: [{ type: 'text', text: patch }] })
    const frame = await show(log)
    await frame.getByRole('button', { name: /first/ }).focus()
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Enter')
    await frame.getByRole('region', { name: /Changes of/ }).waitFor()
    expect(asked).toEqual(['view_git_log', 'git_show'])
    expect(await frame.locator('tr.added').innerText()).toContain(HOSTILE)
  })

  test('names around a circle end inside of the drawing', async () => {
    const exhibit = exhibits.find(({ view }) => view === 'dependencies') as Exhibit
    const nodes = Array.from({ length: 60 }, (_, i) => `packages/engine/src/protocol/revisions/translation-${i}.ts`)
    const graph = { ...exhibit.asks?.[1], nodes, edges: [[0, 1]], cycles: [] }
    const frame = await show({ ...exhibit, asks: ['view_dependencies', graph] })
    await expect.poll(() => frame.locator('svg text').count()).toBe(60)
    const outside = await frame.evaluate(`(() => {
      const { top, bottom, left, right } = document.querySelector('svg').getBoundingClientRect()
      const isOutside = one => one.top < top || one.bottom > bottom || one.left < left || one.right > right
      return [...document.querySelectorAll('svg text')].map(one => one.getBoundingClientRect()).filter(isOutside).length
    })()`)
    expect(outside).toBe(0)
  })

  test('a hotspot is asked about in the conversation', async () => {
    const frame = await show(exhibits.find(({ view }) => view === 'hotspots') as Exhibit)
    await frame.locator('[data-mark]').first().focus()
    await frame.getByRole('button', { name: 'Ask about it' }).click()
    await expect.poll(() => page.evaluate('said')).toHaveLength(1)
  })

  test('what the server cannot give is said, and what the result has is shown', async () => {
    const { asks: _, ...without } = exhibits.find(({ view }) => view === 'hotspots') as Exhibit
    const frame = await show(without)
    await frame.getByText(/Unknown tool: view_hotspots/).waitFor()
    await frame.getByText('1 files that are complex').waitFor()
    expect(asked).toEqual(['view_hotspots'])
  })
})
