import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { cassini } from '../../src/commands/cassini.ts'

const usage = 'causeway cassini import FILE.csv [--lenient] [--data DIR]'
const command = { name: 'cassini', usage, about: '', flags: [] }
const HEADER = 'start_time_utc,duration,date,team,spass_type,target,request_name,library_definition,title,description'
const ROW =
  '2004-135T18:40:00,000T09:22:00,14-May-04,CAPS,Non-SPASS,Saturn,SURVEY,Magnetospheric survey,MAPS Survey,words'

let folder = ''
let file = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'causeway-import-'))
  file = join(folder, 'plan.csv')
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true })
})

type Ran = { exit: number; out: string; err: string }

const run = (words: readonly string[], ...flags: readonly string[]): Promise<Ran> =>
  runWith(words, { data: [folder], ...Object.fromEntries(flags.map(flag => [flag, ['true']])) })

async function runWith(words: readonly string[], flags: Readonly<Record<string, string[]>>): Promise<Ran> {
  const said = { out: '', err: '' }
  const into = (where: keyof typeof said) => (text: string | Uint8Array, sent?: unknown) => {
    said[where] += String(text)
    if (typeof sent === 'function') sent()
    return true
  }
  vi.spyOn(process.stdout, 'write').mockImplementation(into('out'))
  vi.spyOn(process.stderr, 'write').mockImplementation(into('err'))
  const exit = await cassini({ command, given: new Map(Object.entries(flags)), isNamed: true, positionals: words })
  return { exit, ...said }
}

test('a plan is imported, step by step', async () => {
  writeFileSync(file, [HEADER, ROW, ROW].join('\n'))
  expect(await run(['import', file])).toEqual({
    exit: 0,
    out: `Imported plan.csv: 2 observations from 2004-135T18:40:00 to 2004-135T18:40:00, not the public master plan, into ${join(folder, 'cassini.db')}\n`,
    err: 'reading…\nindexing…\nwriting…\n',
  })
})

test('on a terminal a bar grows and is gone in the end', async () => {
  const was = process.stderr.isTTY
  process.stderr.isTTY = true
  try {
    writeFileSync(file, [HEADER, ...Array.from({ length: 500 }, () => ROW)].join('\n'))
    const { exit, err } = await run(['import', file])
    expect(exit).toBe(0)
    expect(err).toContain(`[${'-'.repeat(20)}] 0 % reading`)
    expect(err).toContain(`[${'#'.repeat(10)}${'-'.repeat(10)}] 50 % indexing`)
    expect(err.endsWith('\r\u001B[K')).toBe(true)
  } finally {
    process.stderr.isTTY = was
  }
})

test('bad rows are told with their lines; without --lenient nothing is imported', async () => {
  writeFileSync(file, [HEADER, ROW, ROW.replace('135', '366').replace('2004', '2005'), 'nonsense'].join('\n'))
  const { exit, out, err } = await run(['import', file])
  expect([exit, out]).toEqual([1, ''])
  expect(err).toContain(`${file}: 2 rows cannot be read:\n  line 3: start_time_utc names day 366`)
  expect(err).toContain('  line 4: 1 fields instead of 10')
  expect(err).toContain('--lenient')
  expect(existsSync(join(folder, 'cassini.db'))).toBe(false)

  const lenient = await run(['import', file], 'lenient')
  expect(lenient.exit).toBe(0)
  expect(lenient.out).toContain('Imported plan.csv: 1 observation from')
  expect(lenient.err).toContain('2 rows skipped')
})

test('of many bad rows the first twenty are told, the others counted', async () => {
  writeFileSync(file, [HEADER, ...Array.from({ length: 30 }, () => 'x')].join('\n'))
  const { err } = await run(['import', file])
  expect(err).toContain('line 21:')
  expect(err).not.toContain('line 22:')
  expect(err).toContain('and 10 more')
})

test('the environment may name the folder', async () => {
  writeFileSync(file, [HEADER, ROW].join('\n'))
  vi.stubEnv('CAUSEWAY_DATA', join(folder, 'elsewhere'))
  expect(await runWith(['import', file], {})).toMatchObject({ exit: 0 })
  expect(existsSync(join(folder, 'elsewhere', 'cassini.db'))).toBe(true)
})

test('what cannot be imported is a usage error with a fitting exit code', async () => {
  await expect(run(['import', join(folder, 'none.csv')])).rejects.toMatchObject({ name: 'UsageError', exit: 2 })
  await expect(run(['import', folder])).rejects.toMatchObject({ name: 'UsageError', exit: 2 })
  writeFileSync(file, 'no,plan\n')
  await expect(run(['import', file])).rejects.toMatchObject({
    name: 'UsageError',
    exit: 1,
    message: expect.stringContaining(`${file}: The first line must be the header`) as string,
  })
})

test('anything else is told how it is used', async () => {
  for (const words of [[], ['export'], ['import'], ['import', 'a', 'b']]) {
    await expect(run(words)).rejects.toThrow(`Usage: ${usage}`)
  }
})
