import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { main } from '../../../src/main.ts'
import { anchorAt } from '../../../src/observe/audit/anchor.ts'
import { AuditFile } from '../../../src/observe/audit/audit-file.ts'

const folder = mkdtempSync(join(tmpdir(), 'audit-'))
const file = join(folder, 'audit.jsonl')
const audit = new AuditFile(file, { log: () => {}, node: 'here' })
const heads = join(folder, 'heads.jsonl')
const anchor = anchorAt(heads, { head: () => audit.head, log: () => {} })
audit.write({
  time: '2026-01-02T00:00:00.000Z',
  principal: 'alice',
  tool: 'git_push',
  outcome: 'ok',
  arguments: { a: 1 },
})
audit.write({ time: '2026-01-03T00:00:00.000Z', principal: 'bob', tool: 'git_log', outcome: 'not-allowed' })
audit.close()
await anchor.close()

async function run(...argv: string[]): Promise<{ code: number; out: string }> {
  let out = ''
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((text: unknown, done: unknown) => {
    out += String(text)
    if (typeof done === 'function') (done as () => void)()
    return true
  })
  try {
    return { code: await main(['audit', ...argv, '--quiet']), out }
  } finally {
    write.mockRestore()
  }
}

test('verify says that all is intact, and names the head that was anchored', async () => {
  const { head } = JSON.parse(readFileSync(heads, 'utf8')) as { head: string }
  expect(await run('verify', file, '--expected-head', head)).toEqual({
    code: 0,
    out: `intact: 4 lines in 1 file\nhead ${head}\n`,
  })
  expect(await run('verify', file, '--expected-head', 'a'.repeat(64))).toMatchObject({ code: 1 })
  expect(await run('verify', file, '--expected-head', 'abc')).toMatchObject({ code: 2 })
  expect(await run('verify', join(folder, 'none'))).toMatchObject({ code: 5 })
})

test('verify names the line that was changed', async () => {
  const changed = join(folder, 'changed.jsonl')
  writeFileSync(changed, readFileSync(file, 'utf8').replace('git_push', 'git_pull'))
  const { code, out } = await run('verify', changed)
  expect(code).toBe(1)
  expect(out).toContain(`${changed} line 2: `)
  expect(JSON.parse((await run('verify', changed, '--json')).out)).toMatchObject({
    intact: false,
    problem: { line: 2 },
  })
})

test.each([
  [['--principal', 'alice'], ['git_push']],
  [
    ['--tool', 'git_*'],
    ['git_push', 'git_log'],
  ],
  [['--tool', 'git'], []],
  [['--outcome', 'not-allowed'], ['git_log']],
  [['--since', '2026-01-03'], ['git_log']],
  [['--until', '2026-01-03T00:00:00Z'], ['git_push']],
  [['--since', '1h'], []],
])('query %j', async (flags, tools) => {
  const { code, out } = await run('query', file, ...flags, '--json')
  expect(code).toBe(0)
  const found = out.split('\n').filter(line => line !== '')
  expect(found.map(line => (JSON.parse(line) as { tool: string }).tool)).toEqual(tools)
})

test('query for people', async () => {
  expect((await run('query', file, '--principal', 'alice')).out).toBe(
    '2026-01-02T00:00:00.000Z  alice  git_push  ok  {"a":1}\n',
  )
  expect(await run('query', file, '--since', 'yesterday')).toMatchObject({ code: 2 })
})
