import { execFileSync } from 'node:child_process'
import { chromium } from 'playwright-core'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { needs } from '../../../../test/support/needs.ts'
import { PATIENCE_MS } from '../../../../test/support/patience.ts'
import type { Needs } from '../../../../test/support/needs.ts'

/** What tests of the page need. */
export const needsBrowser: Needs = needs('chromium')

// A browser as root in a closed network: no sandbox, and nothing that calls home.
const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--in-process-gpu',
  '--disable-software-rasterizer',
  '--disable-extensions',
  '--renderer-process-limit=1',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--autoplay-policy=no-user-gesture-required',
]

/** A browser, which the caller closes. */
export const launch = (): Promise<Browser> => chromium.launch({ executablePath: program(), args: ARGUMENTS })

let browser: Promise<Browser> | undefined

/** The browser of all tests of one run, since it takes seconds to start. */
export const sharedBrowser = (): Promise<Browser> => (browser ??= launch())

export async function closeSharedBrowser(): Promise<void> {
  await (await browser)?.close()
  browser = undefined
}

const program = (): string => execFileSync('sh', ['-c', 'command -v chromium'], { encoding: 'utf8' }).trim()

/** A page whose errors, and whose requests to anybody else, are the test's to judge. */
export interface Watched {
  readonly page: Page
  readonly errors: string[]
  readonly foreign: string[]
  /** Fails where anything went wrong in it, or left this server. */
  close(): Promise<void>
}

async function newPage(browser: Browser, options: BrowserContextOptions): Promise<Page> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    reducedMotion: 'reduce',
    ...options,
  })
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const page = await context.newPage()
  // A test that fails says where.
  page.setDefaultTimeout(PATIENCE_MS)
  return page
}

/** A page per browser that is used again, since a new one costs the browser twice as much as the test itself. */
const kept = new WeakMap<Browser, Promise<Page>>()

/** A page at a view of the console: a new one with these options, or without any the browser's kept page, emptied. */
export async function open(browser: Browser, url: string, options?: BrowserContextOptions): Promise<Watched> {
  if (!options && !kept.has(browser)) kept.set(browser, newPage(browser, {}))
  const page = await (options ? newPage(browser, options) : (kept.get(browser) as Promise<Page>))
  const errors: string[] = []
  const foreign: string[] = []
  const { origin } = new URL(url)
  page.on('pageerror', error => errors.push(error.message))
  page.on('console', message => {
    if (message.type() === 'error') errors.push(message.text())
  })
  page.on('request', request => {
    if (!request.url().startsWith(origin) && !/^(?:data|blob):/.test(request.url())) foreign.push(request.url())
  })
  await page.goto(url)
  const close = async (): Promise<void> => {
    if (options) await page.context().close()
    else await empty(page)
    const found = [...errors, ...foreign.map(other => `asked for ${other}`)]
    if (found.length > 0) throw new Error(`The page is not well: ${found.join('; ')}`)
  }
  return { page, errors, foreign, close }
}

/** Leaves the page, with what it stored and with everyone who listens to it. */
async function empty(page: Page): Promise<void> {
  await page.evaluate('localStorage.clear(), sessionStorage.clear()')
  await page.context().clearCookies()
  await page.goto('about:blank')
  page.removeAllListeners()
}

/** What was copied last. */
export const copied = (page: Page): Promise<unknown> => page.evaluate('navigator.clipboard.readText()')

/** Go to another view without loading the page again. */
export const go = (page: Page, hash: string): Promise<unknown> =>
  page.evaluate(`location.hash = ${JSON.stringify(hash)}`)
