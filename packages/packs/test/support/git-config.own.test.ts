import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { formatConfig, harmless, parseConfig } from '../../src/support/git/config.ts'
import { createJail } from '../../src/support/files/jail.ts'
import { PRIVATE_PREFIX, inPrivateFolder } from '../../src/support/files/private-folder.ts'

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'causeway-config-')))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** What git makes of a configuration; undefined if it refuses it. */
function byGit(text: string): string[][] | undefined {
  const path = join(folder, 'config')
  writeFileSync(path, text)
  try {
    const out = execFileSync('git', ['config', '--file', path, '--no-includes', '--list', '--null'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      cwd: folder,
    })
    return out
      .split('\0')
      .filter(entry => entry !== '')
      .map(entry =>
        entry.includes('\n')
          ? [entry.slice(0, entry.indexOf('\n')), entry.slice(entry.indexOf('\n') + 1)]
          : [entry, 'true'],
      )
  } catch {
    return undefined
  }
}

function byUs(text: string): (readonly string[])[] | undefined {
  try {
    return parseConfig(text)
  } catch {
    return undefined
  }
}

test.each([
  '[core]\n\tbare = false\n',
  '[Core]\nFileMode=true ; why\n[user] name = A "quoted; #" B # who\n',
  '[remote "Or\\"igin"]\n\turl = a\\\\b\\"c\\td\n\tfetch = +refs/*:refs/*\n',
  '[a]\n\tb\n\tc =\n\td = "  kept  "  \n',
  '[a "x.y"] k = one \\\n two\n',
  '\uFEFF[a]\r\n\tk = v\r\n',
  '[a.B]\n\tk = v\n',
  '[a]\n\tk = "open\n',
  '[a\n\tk = v\n',
  '[a]\n\t1k = v\n',
  '[include]\n\tpath = /etc/passwd\n',
  '',
])('%#: a configuration means what it means to git', text => {
  expect(byUs(text)).toEqual(byGit(text))
})

test('what is written is read back, by git too, and only harmless settings pass', () => {
  const settings = [
    ['branch.we"ird\\ name.merge', 'refs/heads/a\tb'],
    ['user.name', ' Ada; "the" # first\\ '],
    ['core.autocrlf', 'input'],
  ] satisfies [string, string][]
  const text = formatConfig(settings)
  expect(byGit(text)).toEqual(settings)
  expect(harmless(parseConfig(text))).toEqual(settings)
  expect(
    harmless([
      ['core.autocrlf', '!evil'],
      ['core.fsmonitor', 'true'],
      ['core.excludesfile', '/x'],
      ['user.name', 'a\nb'],
    ]),
  ).toEqual([])
})

test('a long configuration takes time in proportion to its length', () => {
  const started = process.cpuUsage()
  for (const text of ['[a]\nk = "'.repeat(50_000), `[a]\nk = ${'"x" '.repeat(100_000)}"`, `[${'a'.repeat(500_000)}`])
    byUs(text)
  expect(process.cpuUsage(started).user / 1e6).toBeLessThan(5)
})

test('folders of processes that were killed are removed, those of others are not', async () => {
  const dead = execFileSync(process.execPath, ['-p', 'process.pid'], { encoding: 'utf8' }).trim()
  const [stale, other] = [
    join(tmpdir(), `${PRIVATE_PREFIX}${dead}-x`),
    join(tmpdir(), `${PRIVATE_PREFIX}${process.pid}-x`),
  ]
  for (const path of [stale, other]) mkdirSync(join(path, 'below'), { recursive: true })
  try {
    await inPrivateFolder(createJail([folder]), 'any', path => Promise.resolve(expect(existsSync(path)).toBe(true)))
    expect([existsSync(stale), existsSync(other)]).toEqual([false, true])
  } finally {
    for (const path of [stale, other]) rmSync(path, { recursive: true, force: true })
  }
})
