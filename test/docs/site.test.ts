import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test } from 'vitest'
import { needs } from '../support/needs.ts'
import { ROOT } from '../support/spawned.ts'

const run = promisify(execFile)
// The reference is made of the types that a whole build writes.
const isBuilt = ['engine', 'packs', 'gateway', 'console'].every(
  name =>
    existsSync(join(ROOT, 'packages', name, 'dist/index.d.ts')) ||
    existsSync(join(ROOT, 'packages', name, 'dist/basics/index.d.ts')),
)

describe('npm run site', needs('npm run build', isBuilt), () => {
  let out: string
  const read = (path: string): string => readFileSync(join(out, path), 'utf8')
  // Also finds links that lead nowhere.
  beforeAll(async () => {
    out = mkdtempSync(join(tmpdir(), 'site-'))
    mkdirSync(join(out, '0.1.0'))
    writeFileSync(join(out, '0.1.0/index.html'), 'an earlier one')
    await run(process.execPath, [join(ROOT, 'scripts/site/main.js'), '--out', out])
  }, 60_000)

  test('pages have navigation, a search over all of them, and links between each other', () => {
    const page = read('0.2.0/docs/openapi.html')
    expect(page).toContain('<title>Serving an HTTP API · Causeway 0.2.0</title>')
    expect(page).toContain('<a href="../docs/openapi.html" aria-current="page">')
    expect(page).toContain('<a href="context.html">')
    expect(read('0.2.0/search-index.js')).toContain('"docs/openapi.html#where-calls-go"')
    expect(existsSync(join(out, '0.2.0/docs/images/console-tools.png'))).toBe(true)
  })

  test('versions that were built before stay', () => {
    expect(read('versions.js')).toBe('window.siteVersions = ["0.2.0","0.1.0"]\n')
    expect(read('index.html')).toContain('url=0.2.0/index.html')
    expect(read('0.1.0/index.html')).toBe('an earlier one')
  })

  test('models have all pages as text', () => {
    expect(read('llms.txt')).toContain('- [Recipes](0.2.0/docs/recipes.html): Short answers')
    const whole = read('llms-full.txt')
    for (const file of ['README.md', 'docs/errors.md', 'reference/causeway-engine.md'])
      expect(whole).toContain(`<!-- ${file} -->`)
  })

  test('the reference has every export of an entry point, with its sentence and its type', () => {
    const page = read('0.2.0/reference/causeway-engine-testing.html')
    for (const name of ['connect', 'expectTool', 'fakeUser', 'randomArguments', 'lintDefinitions', 'storeContract'])
      expect(page).toContain(`<h2 id="${name.toLowerCase()}">`)
    expect(page).toContain('Connect to a server in memory, in any revision')
    const index = readFileSync(join(ROOT, 'packages/engine/src/index.ts'), 'utf8')
    const named = [...index.matchAll(/\{([^}]*)\}/g)].flatMap(([, list = '']) => list.split(','))
    const names = named.map(name => name.trim()).filter(name => name !== '')
    const engine = read('0.2.0/reference/causeway-engine.html')
    expect(names.length).toBeGreaterThan(100)
    expect(names.filter(name => !engine.includes(`<code>${name}</code> <a class="anchor"`))).toEqual([])
  })
})
