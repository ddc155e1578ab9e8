import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { versions } from '@causeway/engine'
import type { ServedGroup } from '@causeway/console'
import { copied, go, needsBrowser, open, sharedBrowser } from './browser.ts'
import type { Watched } from './browser.ts'
import { serveConsole } from './served.ts'
import type { Served } from './served.ts'
import { exhibits } from './exhibits.ts'

describe('in a browser', needsBrowser, () => {
  let browser: Browser
  let served: Served
  let watched: Watched | undefined

  beforeAll(async () => {
    browser = await sharedBrowser()
    served = await serveConsole(exhibits(), {
      feed: {
        groups: () => [
          group('numbers', ['add_numbers']),
          group('others', ['markdown', 'slow']),
          { ...group('added', ['ask_form']), kind: 'server' },
        ],
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

  const group = (name: string, tools: string[]): ServedGroup => ({
    name,
    kind: 'pack',
    tools,
    prompts: [],
    resources: [],
  })
  const inView = async (one: ReturnType<Page['getByRole']>): Promise<boolean> =>
    ((await one.boundingBox())?.y ?? 800) < 700
  const at = async (hash: string): Promise<Page> => (watched = await open(browser, `${served.url}/${hash}`)).page
  const result = (page: Page): ReturnType<Page['getByRole']> => page.getByRole('region', { name: 'Result' })
  const ran = async (name: string): Promise<Page> => {
    const page = await at(`#/tools/${name}`)
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    return page
  }

  test('a stranger finds a tool, runs it and understands the answer', async () => {
    const page = await at('')
    await page.getByText('numbers', { exact: true }).waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('add num')
    await page.getByRole('link', { name: 'add_numbers', exact: true }).click()
    await page.getByLabel('number1', { exact: true }).fill('5')
    await page.getByLabel('number2', { exact: true }).fill('3')
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await result(page).getByText('ok', { exact: true }).waitFor()
    expect(await result(page).locator('dd').innerText()).toBe('8')
    await result(page).getByRole('button', { name: 'Copy', exact: true }).click()
    expect(await copied(page)).toBe('{"result":8}')
  })

  test('what is served is listed with what it does and what it costs', async () => {
    const page = await at('#/tools/add_numbers')
    await page.getByRole('heading', { name: 'Add numbers' }).waitFor()
    const title = await page.locator('header.title').innerText()
    expect(title).toContain('reads')
    expect(title).toMatch(/about \d+ tokens/)
    expect(await page.locator('.panel .item').filter({ hasText: 'edit_note' }).innerText()).toContain('writes')
    await page.getByRole('searchbox', { name: 'Search' }).fill('nothing at all')
    await page.getByText('No tool matches').waitFor()
    await page.getByRole('button', { name: 'Clear the search' }).click()
    await page.getByText('Definition').click()
    await page.getByText('inputSchema:').waitFor()
  })

  test('a form has a field for everything a schema can say', async () => {
    const page = await at('#/tools/everything')
    await page.getByLabel('name', { exact: true }).fill('Ada')
    expect(await page.getByLabel('size', { exact: true }).inputValue()).toBe('3')
    await page.getByLabel('ratio', { exact: true }).fill('0.5')
    await page.getByLabel('loud', { exact: true }).check()
    await page.getByLabel('colour', { exact: true }).selectOption('green')
    await page.getByLabel('day', { exact: true }).fill('2030-01-31')
    await page.getByRole('button', { name: 'Add to tags' }).click()
    await page.getByLabel('tags 1', { exact: true }).fill('one')
    await page.getByRole('group', { name: 'sides' }).getByLabel('left').check()
    await page.getByLabel('city', { exact: true }).fill('Oslo')
    await page.getByRole('button', { name: 'Add point' }).click()
    await page.getByLabel('x', { exact: true }).fill('1')
    await page.getByLabel('Kind of shape').selectOption('Square')
    await page.getByLabel('side', { exact: true }).fill('2')
    await page.getByLabel('New name in labels').fill('de')
    await page.getByRole('group', { name: 'labels' }).getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByLabel('de', { exact: true }).fill('rot')
    await page.getByLabel('note', { exact: true }).fill('hello')
    await page.getByLabel('extra', { exact: true }).fill('[1]')
    const expected = {
      name: 'Ada',
      place: { city: 'Oslo', point: { x: 1 } },
      size: 3,
      ratio: 0.5,
      loud: true,
      colour: 'green',
      day: '2030-01-31',
      tags: ['one'],
      sides: ['left'],
      shape: { kind: 'square', side: 2 },
      labels: { de: 'rot' },
      note: 'hello',
      extra: [1],
    }
    expect(JSON.parse(await page.getByLabel('Arguments as JSON').inputValue())).toEqual(expected)
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await result(page).getByText('ok', { exact: true }).waitFor()
    await result(page).getByRole('button', { name: 'Text', exact: true }).click()
    expect(JSON.parse(await result(page).locator('pre').innerText())).toEqual(expected)
  })

  test('raw JSON fills the form, and says what is wrong with it', async () => {
    const page = await at('#/tools/add_numbers')
    const raw = page.getByLabel('Arguments as JSON')
    await raw.fill('{"number1": 1, ')
    await page.locator('.beside .fault').waitFor()
    await raw.fill('{"number1": 1, "number2": 2}')
    expect(await page.getByLabel('number2', { exact: true }).inputValue()).toBe('2')
  })

  test('an error of the server is shown in its own words, and the fields that are missing are marked', async () => {
    const page = await ran('add_numbers')
    await result(page).getByText('failed', { exact: true }).waitFor()
    expect(await result(page).innerText()).toContain("Missing required parameter 'number1'")
    expect(await page.getByRole('form', { name: 'Arguments' }).locator('.fault').allInnerTexts()).toEqual([
      'Required',
      'Required',
    ])
    expect(await page.getByLabel('number1', { exact: true }).getAttribute('aria-invalid')).toBe('true')
  })

  test('how a run ended stands beside Run, and the result is brought into view: N M1', async () => {
    const page = await at('#/tools/everything')
    await page.getByRole('group', { name: 'place required' }).waitFor()
    expect(await inView(result(page))).toBe(false)
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await page.locator('.runbar').getByText('failed', { exact: true }).waitFor()
    await expect.poll(() => inView(result(page))).toBe(true)
  })

  test('groups are folded, and servers that were added come first', async () => {
    const page = await at('#/tools')
    await page.getByText('added', { exact: true }).waitFor()
    expect(await page.locator('.group').allInnerTexts()).toEqual([
      expect.stringContaining('added'),
      expect.stringContaining('numbers'),
      expect.stringContaining('others'),
      expect.stringContaining('built in'),
    ])
    await page.getByRole('button', { name: /numbers/ }).click()
    await page.getByRole('link', { name: 'add_numbers', exact: true }).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: /numbers/ }).click()
    await page.getByRole('link', { name: 'add_numbers', exact: true }).waitFor()
  })

  test('progress is shown while a tool runs, and it can be cancelled', async () => {
    const page = await ran('slow')
    await page.getByText('Half way', { exact: true }).waitFor()
    expect(await page.getByRole('progressbar', { name: 'Progress' }).getAttribute('value')).toBe('1')
    await page.getByRole('button', { name: 'Cancel', exact: true }).click()
    await result(page).getByText('Cancelled. The server was asked to stop.').waitFor()
  })

  test('results are shown as what they are', async () => {
    let page = await ran('markdown')
    await result(page).getByRole('heading', { name: 'Title' }).waitFor()
    expect(await result(page).getByRole('link', { name: 'link' }).getAttribute('href')).toBe('https://example.com/')
    expect(await result(page).locator('td').allInnerTexts()).toEqual(['1', '2'])
    await page.goto(`${served.url}/#/tools/picture`)
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    const picture = result(page).getByRole('img')
    await picture.waitFor()
    expect(await picture.evaluate(image => (image as unknown as { naturalWidth: number }).naturalWidth)).toBe(1)
    await page.goto(`${served.url}/#/tools/sound`)
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await result(page).locator('audio').waitFor()
    await page.goto(`${served.url}/#/tools/rows`)
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await result(page).getByRole('button', { name: 'people' }).click()
    expect(await result(page).locator('tbody tr').first().innerText()).toContain('Oslo')
    await page.goto(`${served.url}/#/tools/linked`)
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await result(page).getByRole('link', { name: 'today' }).click()
    await page.getByText('Edition 1').waitFor()
    page = await ran('timeline')
    await result(page)
      .getByRole('img', { name: /count over time/ })
      .waitFor()
    await page.goto(`${served.url}/#/tools/hotspots`)
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await result(page)
      .getByRole('img', { name: /churn score and complexity/ })
      .waitFor()
  })

  test('the messages of a call can be seen in every revision, and copied as commands and code', async () => {
    const page = await at('#/tools/add_numbers')
    const wire = page.getByRole('region', { name: 'Wire' })
    await page.getByLabel('Arguments as JSON').fill('{"number1": 1, "number2": 2}')
    for (const version of versions) {
      await page.getByLabel('Revision', { exact: true }).selectOption(version)
      await page.getByRole('button', { name: 'Run', exact: true }).click()
      const shown = (): Promise<string | null> => wire.textContent()
      await expect.poll(shown).toContain(`mcp-protocol-version: ${version}`)
      await expect.poll(shown).toContain('← received')
    }
    await wire.getByRole('button', { name: 'curl', exact: true }).click()
    await wire.getByText('SESSION=$(curl').waitFor()
    await wire.getByRole('button', { name: 'CLI', exact: true }).click()
    await wire.getByRole('button', { name: 'Copy', exact: true }).click()
    expect(await copied(page)).toBe(`causeway call --args '{"number1":1,"number2":2}' add_numbers`)
    await wire.getByRole('button', { name: 'TypeScript', exact: true }).click()
    await wire.getByText('RemoteServer.connect(').waitFor()
  })

  test('what a tool asks is put to the person', async () => {
    const page = await ran('ask_form')
    const dialog = page.getByRole('dialog')
    await dialog.getByText('The tool “ask_form” of the server “added” asks you').waitFor()
    await dialog.getByLabel('colour', { exact: true }).selectOption('green')
    await dialog.getByRole('button', { name: 'Submit' }).click()
    await result(page).getByText('You chose green').waitFor()
    await page.goto(`${served.url}/#/tools/ask_page`)
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await dialog.getByText('login.example.com', { exact: true }).waitFor()
    await dialog.getByRole('button', { name: 'Decline' }).click()
    await result(page).getByText('The page: decline').waitFor()
    await page.goto(`${served.url}/#/tools/ask_model`)
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await dialog.getByText('What is the capital of Norway?').waitFor()
    await dialog.getByLabel('Answer', { exact: true }).fill('Oslo')
    await dialog.getByRole('button', { name: 'Approve' }).click()
    await result(page).getByText('Oslo').waitFor()
    await page.goto(`${served.url}/#/tools/ask_roots`)
    await page.getByLabel('Revision', { exact: true }).selectOption(versions[1] ?? '')
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await dialog.getByLabel('Folders').fill('/home/ada')
    await dialog.getByRole('button', { name: 'Share' }).click()
    await result(page).getByText('Folders: file:///home/ada').waitFor()
    expect(await dialog.count()).toBe(0)
  })

  test('resources are read and followed, templates filled in with what the server proposes', async () => {
    const page = await at('#/resources')
    await page.getByRole('link', { name: 'today', exact: true }).click()
    await page.getByText(/^Edition \d/).waitFor()
    await page.getByRole('button', { name: 'Subscribe', exact: true }).click()
    await page.getByRole('button', { name: 'Unsubscribe' }).waitFor()
    await go(page, '#/tools/edit_note')
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await result(page).getByText('done').waitFor()
    await go(page, '#/resources/note%3A%2F%2Ftoday')
    await page.getByText('changed 1 time').waitFor()
    await page.getByText('Edition 2').waitFor()
    await page.getByRole('link', { name: 'plan', exact: true }).click()
    await page.getByLabel('year', { exact: true }).fill('202')
    await page.locator('datalist option[value="2026"]').waitFor({ state: 'attached' })
    await page.getByLabel('year', { exact: true }).fill('2026')
    await page.getByLabel('name', { exact: true }).fill('Ada')
    await page.getByRole('button', { name: 'Read' }).click()
    await page.getByText('Ada in 2026').waitFor()
    expect(page.url()).toContain(encodeURIComponent('plan://2026/Ada'))
  })

  test('prompts are filled in and previewed', async () => {
    const page = await at('#/prompts')
    await page.getByRole('link', { name: 'brief', exact: true }).click()
    await page.getByLabel('topic', { exact: true }).fill('ti')
    await page.locator('datalist option[value="tides"]').waitFor({ state: 'attached' })
    await page.getByLabel('topic', { exact: true }).fill('tides')
    await page.getByRole('button', { name: 'Preview' }).click()
    await result(page).getByText('Tell me about tides').waitFor()
    expect(await result(page).locator('.message').count()).toBe(1)
  })
})
