import { bearerTokens } from '@causeway/engine/http'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { ROOT, Spawned } from '../../../../test/support/spawned.ts'
import { commands } from '../../src/config/command-table.ts'
import { runHere } from '../support/here.ts'

beforeEach(() => {
  for (const name of Object.keys(process.env).filter(name => name.startsWith('CAUSEWAY_'))) vi.stubEnv(name, undefined)
})
afterEach(() => void vi.unstubAllEnvs())

const { version } = JSON.parse(readFileSync(join(ROOT, 'packages/cli/package.json'), 'utf8')) as { version: string }

describe('causeway help', () => {
  test('names every command', async () => {
    const { code, stdout, stderr } = await runHere('help')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    for (const { name } of commands) expect(stdout).toContain(`  ${name} `)
    expect(await runHere('--help')).toEqual({ code, stdout, stderr })
  })

  test.each(commands.map(({ name }) => name))('help %s is the same as --help', async name => {
    const { code, stdout } = await runHere(`help ${name}`)
    expect(code).toBe(0)
    expect(stdout).toContain('--help')
    expect(await runHere(`${name} --help`)).toMatchObject({ code: 0, stdout })
    expect(await runHere(`--help ${name}`)).toMatchObject({ code: 0, stdout })
  })

  test('says how arrays, objects and standard input are written', async () => {
    const { stdout } = await runHere('help call')
    for (const part of [`'files=["a.txt","b.txt"]'`, `'parameters={"a":1}'`, '--args - <'])
      expect(stdout).toContain(part)
  })

  test.each([
    ['help clal', "Unknown command 'clal'. Did you mean 'call'?"],
    ['help list call', 'Name one command. Usage: causeway help [COMMAND]'],
    ['describe', 'Name one tool. Usage: causeway describe TOOL'],
    ['describe system_pin --pack basics', "Unknown tool 'system_pin'. Did you mean 'system_ping'?"],
    ['token', 'Name the owner of the token. Usage: causeway token [rotate|revoke] NAME'],
    ['cassini', 'The only action is import. Usage: causeway cassini import'],
    ['cassini import', 'Name one CSV file. Usage: causeway cassini import'],
    ['threats', 'The only action is validate. Usage: causeway threats validate'],
    ['--presett basics list', "Unknown flag '--presett'. Did you mean '--preset'?"],
  ])('%s', async (line, said) => {
    const { code, stderr } = await runHere(line)
    expect(stderr).toContain(`causeway: ${said}`)
    expect(code).toBe(2)
  })
})

test('causeway token --scope writes scopes behind the hash', async () => {
  const { code, stdout, stderr } = await runHere('token ada --scope operator --scope read,write')
  expect(code).toBe(0)
  const line = stderr.trim().split('\n').at(-1) ?? ''
  expect(line).toMatch(/^ada sha256:[0-9a-f]{64} operator read write$/)
  expect(bearerTokens(line).authenticate({ token: stdout.trim() })).toMatchObject({
    scopes: ['operator', 'read', 'write'],
  })
  expect(await runHere(['token', 'ada', '--scope', 'a b'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--scope'),
  })
})

test('causeway token --token-file adds the line to the file, and prints the token alone', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'causeway-token-')), 'tokens')
  onTestFinished(() => rmSync(dirname(file), { recursive: true }))
  writeFileSync(file, '# ours')
  for (const name of ['ada', 'bob']) {
    const { code, stdout, stderr } = await runHere(['token', name, '--token-file', file])
    expect([code, stderr]).toEqual([0, expect.stringContaining(`Added ${name} to ${file}.`)])
    expect(bearerTokens(readFileSync(file, 'utf8')).authenticate({ token: stdout.trim() })).toMatchObject({ name })
    expect(readFileSync(file, 'utf8')).not.toContain(stdout.trim())
  }
  const before = readFileSync(file, 'utf8')
  expect(await runHere(['token', 'ada', '--token-file', file])).toMatchObject({
    code: 4,
    stdout: '',
    stderr: expect.stringContaining("the name 'ada' is used twice"),
  })
  expect(readFileSync(file, 'utf8')).toBe(before)
  expect(() => bearerTokens('')).toThrow('the token file has no tokens')
})

test('describe says which kind of value an enum without a type takes', async () => {
  const { stdout } = await runHere('describe search_files --pack workstation')
  expect(stdout).not.toContain('any value')
})

test('an unknown tool is answered with the nearest names, not with all of them', async () => {
  const { code, stderr } = await runHere('describe add_numberz')
  expect(code).toBe(2)
  expect(stderr).toBe("causeway: Unknown tool 'add_numberz'. Did you mean 'add_numbers'? See: causeway list\n")
})

test.each(['version', '--version', '-v', 'list -v'])('causeway %s', async line => {
  expect(await runHere(line)).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' })
})

test.each([
  '--pack basics list',
  '--pack=basics --log-level silent list --tools add_numbers,system_ping',
  '--read-only --pack basics list',
  '--json --pack basics list',
])('flags may stand before the command: %s', async line => {
  const { code, stdout } = await runHere(line)
  expect(code).toBe(0)
  expect(stdout).toContain('system_ping')
})

test('so may --args with a value', async () => {
  const line = ['--args', '{"number1":5}', 'call', 'add_numbers', 'number2=3', '--pack', 'basics']
  expect(await runHere(line)).toMatchObject({ code: 0, stdout: '{"result":8}\n' })
})

test('causeway list --json prints the tools as tools/list has them', async () => {
  const { code, stdout } = await runHere('list --json --pack basics')
  const tools = JSON.parse(stdout) as { name: string; inputSchema: object }[]
  expect(code).toBe(0)
  expect(tools.map(({ name }) => name)).toContain('add_numbers')
  expect(tools.every(({ inputSchema }) => typeof inputSchema === 'object')).toBe(true)
})

describe('causeway describe', () => {
  test('shows what a tool does and takes', async () => {
    const { code, stdout } = await runHere('describe search_files')
    expect(code).toBe(0)
    expect(stdout).toMatch(/^search_files: Finds files/)
    expect(stdout).toContain('It changes nothing.')
    expect(stdout).toMatch(/^ {2}limit +integer, optional \(default \d+\) {2}\S/m)
    expect((await runHere('describe system_ping')).stdout).toContain('It takes no arguments.')
    expect((await runHere('describe delete_file')).stdout).toContain('It may change or destroy something.')
    expect((await runHere('describe delete_file')).stdout).toMatch(/^ {2}path +string, required/m)
  })

  test('--json is the entry of tools/list', async () => {
    expect(JSON.parse((await runHere('describe add_numbers --json')).stdout)).toMatchObject({
      name: 'add_numbers',
      inputSchema: { type: 'object' },
    })
  })
})

describe('causeway call --args -', () => {
  const piped = async (
    input: string | Buffer,
    ...more: readonly string[]
  ): Promise<[number | null, string, string]> => {
    const command = new Spawned(['call', 'add_numbers', '--args', '-', ...more])
    command.process.stdin.end(input)
    const { code } = await command.ended
    return [code, command.lines.join('\n'), command.stderr]
  }

  test('reads standard input', async () => {
    expect(await piped('{"number1":5,\n"number2":3}')).toEqual([0, '{"result":8}', ''])
    expect(await piped('\uFEFF{"number1":5}\n', 'number2=4')).toEqual([0, '{"result":9}', ''])
  })

  test('refuses what is no object, or too long', async () => {
    expect(await piped('5')).toEqual([2, '', "causeway: --args must be a JSON object, got '5'.\n"])
    expect(await piped('')).toEqual([2, '', "causeway: --args must be a JSON object, got ''.\n"])
    const [code, , stderr] = await piped(Buffer.alloc(11 * 1024 * 1024, ' '))
    expect([code, stderr]).toEqual([2, expect.stringContaining('longer than --max-request allows')])
  })
})
