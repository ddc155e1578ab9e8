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

const program = (): string => execFileSync('sh', ['-c', 'command -v chromium'], { encoding: 'utf8' }).trim()

/** A page whose errors, and whose requests to anybody else, are the test's to judge. */
export interface Watched {
  readonly page: Page
  readonly errors: string[]
  readonly foreign: string[]
  /** Fails where anything went wrong in it, or left this server. */
  close(): Promise<void>
}

/** A new page at a view of the console. */
export async function open(browser: Browser, url: string, options: BrowserContextOptions = {}): Promise<Watched> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    reducedMotion: 'reduce',
    ...options,
  })
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const page = await context.newPage()
  // A test that fails says where.
  page.setDefaultTimeout(PATIENCE_MS)
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
    await context.close()
    const found = [...errors, ...foreign.map(other => `asked for ${other}`)]
    if (found.length > 0) throw new Error(`The page is not well: ${found.join('; ')}`)
  }
  return { page, errors, foreign, close }
}

/** What was copied last. */
export const copied = (page: Page): Promise<unknown> => page.evaluate('navigator.clipboard.readText()')

/** Go to another view without loading the page again. */
export const go = (page: Page, hash: string): Promise<unknown> =>
  page.evaluate(`location.hash = ${JSON.stringify(hash)}`)
