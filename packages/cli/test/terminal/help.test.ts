import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { splitWords } from '@causeway/engine/internal'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { ROOT } from '../../../../test/support/spawned.ts'
import { readArgs } from '../../src/config/args.ts'
import { commands } from '../../src/config/command-table.ts'
import { EXIT_CODES } from '../../src/config/exit-codes.ts'
import { hasColours } from '../../src/terminal/colours.ts'
import { help } from '../../src/terminal/help.ts'
import { table, wrapped } from '../../src/terminal/print.ts'
import { runHere } from '../support/here.ts'

afterEach(() => void vi.unstubAllEnvs())

const widest = (text: string): number => Math.max(...text.split('\n').map(line => line.length))
const inTerminal = (columns: number, work: () => string): string => {
  const { stdout } = process
  const before = { isTTY: stdout.isTTY, columns: stdout.columns }
  Object.assign(stdout, { isTTY: true, columns })
  try {
    return work()
  } finally {
    Object.assign(stdout, before)
  }
}

describe('help', () => {
  test.each(commands.map(command => [command.name, command] as const))('on %s fits, and has examples', (_, command) => {
    expect(widest(help(command))).toBeLessThanOrEqual(100)
    expect(command.examples?.length).toBeGreaterThan(0)
    const text = inTerminal(80, () => help(command))
    // An example is one line, so that it can be copied.
    const lines = text.split('\n').filter(line => !command.examples?.some(([example]) => line.includes(example)))
    expect(widest(lines.join('\n'))).toBeLessThanOrEqual(80)
  })

  test('on everything fits, and names every command and exit code', () => {
    expect(widest(inTerminal(80, () => help(undefined)))).toBeLessThanOrEqual(100)
    for (const { name } of commands) expect(help(undefined)).toMatch(new RegExp(`^  ${name} `, 'm'))
    for (const { code } of EXIT_CODES) expect(help(undefined)).toMatch(new RegExp(`^  ${code} `, 'm'))
  })

  test('examples are command lines that are understood', () => {
    const lines = commands.flatMap(({ examples = [] }) => examples.map(([line]) => line))
    for (const line of lines.filter(one => !/[<>…]/.test(one))) {
      expect(() => readArgs(splitWords(line).slice(1) as string[]), line).not.toThrow()
    }
  })

  test('the README has the same exit codes', () => {
    const readme = readFileSync(join(ROOT, 'README.md'), 'utf8')
    for (const { code, about } of EXIT_CODES) expect(readme).toContain(`| ${code} | ${about} |`)
  })
})

describe('a table', () => {
  const rows = [
    ['short', 'words '.repeat(30).trim()],
    ['a-name-that-is-much-longer-than-the-others-and-leaves-no-room', 'its text'],
  ] as const

  test('fits the terminal', () => {
    expect(widest(table(rows, 80))).toBeLessThanOrEqual(80)
    expect(inTerminal(60, () => table(rows))).toBe(table(rows, 60))
  })
  test('has one line per row where a program reads', () => expect(table(rows, undefined).split('\n')).toHaveLength(2))
  test('keeps a word that is too long', () =>
    expect(wrapped('a verylongword b', 5)).toEqual(['a', 'verylongword', 'b']))
})

describe('colours', () => {
  test.each([
    [{}, true, true],
    [{}, false, false],
    [{ NO_COLOR: '1' }, true, false],
    [{ NO_COLOR: '' }, true, true],
    [{ FORCE_COLOR: '1' }, false, true],
    [{ FORCE_COLOR: '0' }, true, false],
    [{ NO_COLOR: '1', FORCE_COLOR: '1' }, true, false],
    [{ TERM: 'dumb' }, true, false],
  ])('%j at a terminal %s: %s', (env, isTTY, wanted) => expect(hasColours({ isTTY }, env)).toBe(wanted))

  test('are never in what a program reads', async () => {
    vi.stubEnv('FORCE_COLOR', undefined)
    for (const line of ['help', 'list --pack basics', 'doctor --quiet', 'version'])
      expect((await runHere(line)).stdout).not.toContain('\u001B[')
  })
})

describe('--json and --quiet', () => {
  test.each(
    commands
      .filter(({ name }) => !['serve', 'attach', 'dev', 'record', 'help', 'completion'].includes(name))
      .map(({ name }) => name),
  )('are taken by %s', name => {
    expect(readArgs([name, '--json']).given.get('json')).toEqual(['true'])
    expect(readArgs([name, '--quiet']).given.get('quiet')).toEqual(['true'])
  })

  test('a token as JSON', async () => {
    const { stdout, stderr } = await runHere('token ada --json')
    expect(JSON.parse(stdout)).toMatchObject({
      name: 'ada',
      token: expect.stringMatching(/^cw_/),
      line: expect.any(String),
    })
    expect(stderr).toBe('')
  })

  test('the version as JSON', async () =>
    expect(JSON.parse((await runHere('version --json')).stdout)).toEqual({ version: expect.any(String) }))
})
