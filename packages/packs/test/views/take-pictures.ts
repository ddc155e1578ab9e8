import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'
import type { Browser } from 'playwright-core'

// Takes pictures of the views for docs/apps.md, in the console of a server that serves a clone of this repository.
const root = fileURLToPath(new URL('../../../../', import.meta.url))
const images = join(root, 'docs/images/')
const causeway = join(root, 'packages/cli/bin/causeway.js')

interface Picture {
  readonly name: string
  readonly tool: string
  readonly args: Readonly<Record<string, unknown>>
  readonly isDark?: boolean
  /** Pressed before the picture is taken. */
  readonly press?: readonly string[]
  /** The name of a mark that gets the focus. */
  readonly focus?: RegExp
  readonly most?: number
}

const pictures: readonly Picture[] = [
  { name: 'view-hotspots', tool: 'find_hotspots', args: { project_path: '.' }, focus: /server\.ts/ },
  { name: 'view-treemap', tool: 'find_hotspots', args: { project_path: '.' }, press: ['Treemap'], isDark: true },
  { name: 'view-complexity', tool: 'analyze_complexity', args: { project_path: 'packages', toolchain: 'typescript' } },
  { name: 'view-churn', tool: 'analyze_code_churn', args: { project_path: '.', period_days: 90 } },
  { name: 'view-dependencies', tool: 'analyze_dependencies', args: { project_path: 'packages', level: 'directory' } },
  { name: 'view-git-log', tool: 'git_log', args: {} },
  {
    name: 'view-diff',
    tool: 'git_diff',
    args: { revision: 'HEAD~9', files: ['packages/engine/src/methods'] },
    isDark: true,
  },
  { name: 'view-search', tool: 'search_files', args: { content: 'cacheable', path: 'packages/engine/src', after: 1 } },
  { name: 'view-build', tool: 'ci_run_tests', args: { projectPath: 'sample' } },
  { name: 'view-cassini', tool: 'get_timeline', args: { bucket: 'month' } },
]

async function take(browser: Browser, url: string, picture: Picture): Promise<void> {
  const { name, tool, args, isDark = false, press = [], focus, most = 640 } = picture
  const page = await browser.newPage({
    viewport: { width: 1480, height: 900 },
    colorScheme: isDark ? 'dark' : 'light',
    reducedMotion: 'reduce',
  })
  await page.goto(`${url}/#/tools/${tool}`)
  await page.getByLabel('Arguments as JSON').fill(JSON.stringify(args))
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  const frame = page.frameLocator('iframe.view')
  await frame.getByRole('heading').first().waitFor({ timeout: 90_000 })
  await frame.getByText('Loading everything').waitFor({ state: 'detached', timeout: 90_000 })
  for (const button of press) await frame.getByRole('button', { name: button, exact: true }).click()
  if (focus) await frame.getByRole('img', { name: focus }).first().focus()
  // The folder of the machine that takes the picture is nobody's business.
  await frame.locator('code, pre').evaluateAll((all, from) => {
    for (const one of all)
      if (one.children.length === 0) one.textContent = (one.textContent ?? '').replaceAll(from, '/home/me/project')
  }, clone)
  const view = page.locator('iframe.view')
  await view.evaluate(
    (one, height) => one.setAttribute('height', String(Math.min(height, Number(one.getAttribute('height'))))),
    most,
  )
  await view.screenshot({ path: `${images}${name}.png` })
  await page.close()
}

/** A small project whose tests fail in part. */
function sampleIn(folder: string): void {
  const test = `import { test } from 'node:test'
import assert from 'node:assert/strict'
const price = (count, each) => count * each
test('adds up', () => assert.equal(price(2, 3), 6))
test('rounds to cents', () => assert.equal(price(3, 0.1), 0.3))
test('refuses less than nothing', () => assert.throws(() => price(-1, 2)))
test.skip('prints a bill', () => {})
`
  const manifest = { name: 'sample', private: true, type: 'module', scripts: { test: 'node --test' } }
  const script = `mkdir -p "$0/sample" && cd "$0/sample" && printf '%s' "$1" > package.json && printf '%s' "$2" > price.test.js`
  execFileSync('sh', ['-c', script, folder, JSON.stringify(manifest), test])
}

const folder = mkdtempSync(join(tmpdir(), 'causeway-views-'))
const clone = join(folder, 'project')
execFileSync('git', ['clone', '--quiet', root, clone])
execFileSync('git', ['-C', clone, 'checkout', '--quiet', '-B', 'main'])
execFileSync('git', ['-C', clone, 'remote', 'remove', 'origin'])
sampleIn(clone)
mkdirSync(images, { recursive: true })
const serving = [causeway, 'serve', '--http', '--port', '0', '--root', clone, '--data', folder]
const child = spawn(process.execPath, serving, { stdio: ['ignore', 'pipe', 'inherit'] })
let said = ''
for await (const chunk of child.stdout) {
  said += String(chunk)
  if (said.includes('Stop with Ctrl-C')) break
}
const [, url = ''] = /listening on (\S+)/.exec(said) ?? []
const executablePath = execFileSync('sh', ['-c', 'command -v chromium'], { encoding: 'utf8' }).trim()
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
const wanted = process.argv.slice(2)
try {
  for (const picture of pictures)
    if (wanted.length === 0 || wanted.includes(picture.name)) await take(browser, url, picture)
} finally {
  await browser.close()
  const ended = once(child, 'exit')
  child.kill()
  await ended
  rmSync(folder, { recursive: true })
}
