import { execFile } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
} from 'node:fs'
import { symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { apply, backupOf, installed } from '../../src/clients/client-installation.ts'
import { replaceFile } from '../../src/config/files/replace-file.ts'
import { BINARY, run } from '../../../../test/support/spawned.ts'

const ENTRY = { path: ['mcpServers', 'causeway'], entry: { command: 'node' } }
const fresh = (): string => realpathSync(mkdtempSync(join(tmpdir(), 'causeway-hostile-')))
const COMMANDS = '{ "a": 1 /*\n touch PWNED\n*/ }\n'

describe("a stranger's project", () => {
  test('cannot have a copy written over a file of the user', () => {
    const [folder, victim] = [fresh(), join(fresh(), '.bashrc')]
    writeFileSync(victim, 'mine\n')
    const file = join(folder, '.mcp.json')
    writeFileSync(file, COMMANDS)
    symlinkSync(victim, backupOf(file))
    apply(installed(file, ENTRY))
    expect(readFileSync(victim, 'utf8')).toBe('mine\n')
    expect(lstatSync(backupOf(file)).isSymbolicLink()).toBe(false)
    expect(readFileSync(backupOf(file), 'utf8')).toBe(COMMANDS)
  })

  test.each(['.mcp.json', '.cursor'])('cannot lead out of its folder by %s', async name => {
    const [folder, home] = [fresh(), fresh()]
    const outside = join(home, 'own')
    if (name === '.cursor') mkdirSync(outside)
    else writeFileSync(outside, '{ "secret": 1 }\n')
    symlinkSync(outside, join(folder, name))
    const words = ['install', name === '.cursor' ? 'cursor' : 'claude-code', '--scope', 'project', '--pack', 'none']
    const { code, stderr, stdout } = await run(words, { cwd: folder, env: { HOME: home } })
    expect(code).toBe(4)
    expect(stderr).toContain('leads out of the project')
    expect(stdout).not.toContain('secret')
    expect(name === '.cursor' ? readdirSync(outside) : readFileSync(outside, 'utf8')).toEqual(
      name === '.cursor' ? [] : '{ "secret": 1 }\n',
    )
  })
})

describe('a file of a client stays as it is', () => {
  test('if it is no UTF-8, whose bytes would be lost', () => {
    const file = join(fresh(), 'mcp.json')
    const bytes = Buffer.from('{ // caf\u00e9\n}\n', 'latin1')
    writeFileSync(file, bytes)
    expect(() => apply(installed(file, ENTRY))).toThrow('not UTF-8')
    expect(readFileSync(file).equals(bytes)).toBe(true)
    expect(existsSync(backupOf(file))).toBe(false)
  })

  test('if it may not be written', () => {
    const file = join(fresh(), 'mcp.json')
    writeFileSync(file, '{}\n')
    chmodSync(file, 0o444)
    expect(() => apply(installed(file, ENTRY))).toThrow('read-only')
    expect(readFileSync(file, 'utf8')).toBe('{}\n')
  })

  test('if it is a link to nothing, which would be replaced', () => {
    const file = join(fresh(), 'mcp.json')
    symlinkSync(join(fresh(), 'gone.json'), file)
    expect(() => apply(installed(file, ENTRY))).toThrow('link to a file that is not there')
    expect(lstatSync(file).isSymbolicLink()).toBe(true)
  })

  test('if the client wrote it in the meantime', () => {
    const file = join(fresh(), 'mcp.json')
    writeFileSync(file, '{}\n')
    const change = installed(file, ENTRY)
    writeFileSync(file, '{ "history": [1] }\n')
    expect(() => apply(change)).toThrow('changed meanwhile')
    expect(readFileSync(file, 'utf8')).toBe('{ "history": [1] }\n')
  })
})

test('what a process left behind does not stand in the way', () => {
  const file = join(fresh(), 'mcp.json')
  writeFileSync(file, 'old')
  writeFileSync(`${file}.causeway-new`, 'half')
  utimesSync(`${file}.causeway-new`, 1, 1)
  replaceFile(file, 'new')
  expect(readFileSync(file, 'utf8')).toBe('new')
  expect(existsSync(`${file}.causeway-new`)).toBe(false)
})

test('tokens that are added and revoked at once are all there, or all gone', async () => {
  const tokens = join(fresh(), 'tokens')
  const command = (...words: string[]): Promise<unknown> =>
    promisify(execFile)(process.execPath, [BINARY, 'token', ...words, '--token-file', tokens])
  const names = (from: string): string[] => Array.from({ length: 5 }, (_, i) => `${from}${i}`)
  await Promise.all(names('old').map(name => command(name)))
  await Promise.all([...names('new').map(name => command(name)), ...names('old').map(name => command('revoke', name))])
  const left = readFileSync(tokens, 'utf8')
    .split('\n')
    .flatMap(line => line.split(/\s/)[0] || [])
  expect(left.sort()).toEqual(names('new'))
})
