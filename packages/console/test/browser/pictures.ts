import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { open } from './browser.ts'

/** Where the pictures of the documents are. */
export const folder: string = fileURLToPath(new URL('../../../../docs/images/', import.meta.url))

interface Picture {
  readonly name: string
  readonly hash: string
  readonly dark?: boolean
  readonly size?: { readonly width: number; readonly height: number }
  prepare?(page: Page): Promise<void>
}

const run = (page: Page): Promise<void> => page.getByRole('button', { name: 'Run', exact: true }).click()

const answered = (page: Page): Promise<void> =>
  page.getByRole('region', { name: 'Result' }).getByText('ok', { exact: true }).waitFor({ timeout: 60_000 })

/** Brings a part of the page to the top. */
const scroll = (page: Page, name: string): Promise<void> =>
  page.getByRole('region', { name, exact: true }).evaluate(one => one.scrollIntoView({ block: 'start' }))

const pictures: readonly Picture[] = [
  {
    name: 'console-tools',
    hash: '#/tools/add_numbers',
    async prepare(page) {
      await page.getByLabel('number1', { exact: true }).fill('5')
      await page.getByLabel('number2', { exact: true }).fill('3')
      await run(page)
      await answered(page)
    },
  },
  {
    name: 'console-hotspots',
    hash: '#/tools/find_hotspots',
    async prepare(page) {
      await page.getByLabel('project_path', { exact: true }).fill('.')
      await run(page)
      await answered(page)
      await scroll(page, 'Result')
    },
  },
  {
    name: 'console-timeline',
    hash: '#/tools/get_timeline',
    async prepare(page) {
      await page.getByLabel('bucket', { exact: true }).selectOption('year')
      await run(page)
      await answered(page)
      await scroll(page, 'Result')
    },
  },
  {
    name: 'console-wire',
    hash: '#/tools/multiply_numbers',
    async prepare(page) {
      await page.getByLabel('Arguments as JSON').fill('{"number1": 6, "number2": 7}')
      await run(page)
      await answered(page)
      await scroll(page, 'Wire')
      await page.getByRole('button', { name: 'curl', exact: true }).click()
    },
  },
  {
    name: 'console-live',
    hash: '#/live',
    async prepare(page) {
      await page.getByRole('button', { name: /find_hotspots/ }).waitFor()
    },
  },
  { name: 'console-live-dark', hash: '#/live', dark: true },
  {
    name: 'console-servers',
    hash: '#/servers',
    async prepare(page) {
      await page.getByRole('region', { name: 'tickets' }).waitFor()
      await page.getByText('0 MB', { exact: true }).waitFor({ state: 'detached' })
    },
  },
  { name: 'console-connect', hash: '#/connect' },
  {
    name: 'console-resources',
    hash: '#/resources',
    async prepare(page) {
      await page.getByRole('link', { name: 'Rust CLI Makefile', exact: true }).click()
      await page.getByRole('region', { name: 'Result' }).locator('p.mono').first().waitFor()
    },
  },
  {
    name: 'console-prompts',
    hash: '#/prompts/mission-summary',
    async prepare(page) {
      await page.getByRole('button', { name: 'Preview' }).click()
      await page.locator('.message').first().waitFor()
    },
  },
  {
    name: 'console-narrow',
    hash: '#/tools/edit_file',
    size: { width: 390, height: 844 },
    async prepare(page) {
      await page.getByRole('button', { name: 'Add to edits' }).click()
    },
  },
]

/** Texts of this machine, and what a picture shows in their place. */
export type Replaced = Readonly<Record<string, string>>

/** Paths and ports of the machine that takes a picture are nobody's business. */
const replaceTexts = (page: Page, replaced: Replaced): Promise<void> =>
  page.locator('body').evaluate((body, texts) => {
    const visit = (node: ChildNode): void => {
      if (node.nodeType === 3)
        for (const [from, to] of Object.entries(texts)) node.textContent = (node.textContent ?? '').replaceAll(from, to)
      for (const child of node.childNodes) visit(child)
    }
    for (const child of body.childNodes) visit(child)
  }, replaced)

interface ChildNode {
  readonly nodeType: number
  textContent: string | null
  readonly childNodes: Iterable<ChildNode>
}

/** Takes a picture of each of the main views of a server. */
export async function takePictures(browser: Browser, url: string, replaced: Replaced): Promise<void> {
  mkdirSync(folder, { recursive: true })
  for (const { name, hash, dark = false, size, prepare } of pictures) {
    const { page } = await open(browser, `${url}/${hash}`, {
      colorScheme: dark ? 'dark' : 'light',
      viewport: size ?? { width: 1280, height: 800 },
      reducedMotion: 'reduce',
    })
    await page.locator('h1:visible').first().waitFor()
    await prepare?.(page)
    await page.evaluate('document.fonts.ready.then(() => document.activeElement?.blur())')
    // What still moves in is the stream of figures, a second after it was opened.
    await page.getByText('Connected').waitFor({ state: 'attached' })
    await replaceTexts(page, replaced)
    await page.screenshot({ path: `${folder}${name}.png` })
    await page.context().close()
  }
}
