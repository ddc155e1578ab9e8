import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { rolldown } from 'rolldown'
import { expect, onTestFinished, test } from 'vitest'
import { Spawned } from '../../../../test/support/spawned.ts'
import { verifyAudit } from '../../src/observe/audit/verify.ts'

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'causeway-faults-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

test('a tool that waits for a pipe for ever does not keep the process from ending', async () => {
  const here = folder()
  execFileSync('mkfifo', [join(here, 'pipe')])
  writeFileSync(
    join(here, 'stuck.mjs'),
    `import { readFile } from 'node:fs/promises'
     const pipe = ${JSON.stringify(join(here, 'pipe'))}
     export const stuck = { kind: 'tool', name: 'stuck', readOnly: true, run: () => { void readFile(pipe); return 'begun' } }`,
  )
  const server = new Spawned(['serve', '--stdio', '--preset', 'basics', '--tools-dir', here])
  onTestFinished(() => void server.process.kill('SIGKILL'))
  await server.initialize()
  const answer = await server.call(1, 'stuck')
  expect(JSON.stringify(answer)).toContain('begun')
  server.process.kill('SIGTERM')
  await server.ended
  expect(server.stderr).toContain('a file operation hangs; ending without it')
})

test('a server whose tools wait for nothing ends with 0', async () => {
  const server = new Spawned(['serve', '--stdio', '--preset', 'workstation', '--root', folder()])
  onTestFinished(() => void server.process.kill('SIGKILL'))
  await server.initialize()
  expect((await server.call(1, 'search_files', { pattern: '*' })).result).toMatchObject({
    structuredContent: { total: 0 },
  })
  server.process.kill('SIGTERM')
  expect(await server.ended).toEqual({ code: 0, signal: null })
})

const linesOf = (file: string): string[] => readFileSync(file, 'utf8').split('\n')

test('a full disk leaves whole lines in the audit', async () => {
  const here = folder()
  const program = join(here, 'full-disk.js')
  const bundle = await rolldown({
    input: new URL('./full-disk.ts', import.meta.url).pathname,
    platform: 'node',
    resolve: { conditionNames: ['source', 'node', 'import', 'default'] },
  })
  await bundle.write({ file: program, format: 'esm', codeSplitting: false })
  const file = join(here, 'audit.jsonl')
  const script = `trap '' XFSZ; ulimit -f 4; exec "$0" "$1" "$2"`
  const { status, stderr } = spawnSync('sh', ['-c', script, process.execPath, program, file], { encoding: 'utf8' })
  expect(status).toBe(0)
  expect(stderr).toContain('an audit entry could not be written')
  const lines = linesOf(file)
  expect(lines.length).toBeGreaterThan(5)
  expect(lines.pop()).toBe('')
  for (const [i, line] of lines.slice(1).entries()) expect(JSON.parse(line)).toMatchObject({ request: i })
  expect(verifyAudit([file]).problem).toBeUndefined()
})
