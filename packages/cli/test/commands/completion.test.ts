import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { needs } from '../../../../test/support/needs.ts'
import { BINARY } from '../../../../test/support/spawned.ts'
import { runHere } from '../support/here.ts'

const wordsAfter = async (...line: string[]): Promise<string[]> => {
  const { code, stdout, stderr } = await runHere(['completion', 'words', '--', ...line])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return stdout.trim().split('\n')
}

describe('what may come next', () => {
  test.each([
    [['ins'], 'install'],
    [['install', ''], 'claude-code'],
    [['uninstall', ''], 'zed'],
    [['call', '--'], '--args'],
    [['--log-level', ''], 'debug'],
    [['servers', ''], 'restart'],
    [['servers', 'import', ''], 'cursor'],
    [['list', ''], 'resources'],
    [['help', 'in'], 'inspect'],
    [['completion', ''], 'fish'],
  ])('%j: %s', async (line, word) => expect(await wordsAfter(...line)).toContain(word))

  test('tools, and the arguments of one', async () => {
    expect(await wordsAfter('call', '--pack', 'basics', '')).toContain('add_numbers')
    expect(await wordsAfter('--pack', 'basics', 'call', 'add_numbers', '')).toEqual(['number1=', 'number2='])
  })

  test('servers of the file that the line names', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'causeway-completion-')), 'mcp.json')
    writeFileSync(file, JSON.stringify({ mcpServers: { weather: { command: 'x' } } }))
    expect(await wordsAfter('servers', '--servers', file, 'logs', '')).toEqual(['weather'])
    expect(await wordsAfter('servers', '--servers', '/no/such/file', 'logs', '')).toEqual([''])
  })
})

test('nothing is started before Enter is pressed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'causeway-completion-'))
  const [mark, servers, config] = ['mark', 'mcp.json', 'config.json'].map(name => join(folder, name)) as [
    string,
    string,
    string,
  ]
  const args = ['-e', `require('fs').writeFileSync(${JSON.stringify(mark)}, '')`]
  writeFileSync(servers, JSON.stringify({ mcpServers: { x: { command: process.execPath, args } } }))
  writeFileSync(config, JSON.stringify({ servers }))
  await wordsAfter('call', '--command', `touch ${mark}`, '')
  await wordsAfter('call', `--command=touch ${mark}`, '')
  await wordsAfter('call', '--pack', 'basics', '--servers', servers, '')
  await wordsAfter('call', '--pack', 'basics', '--config', config, '')
  expect(existsSync(mark)).toBe(false)
})

test('a name that a shell would execute is not offered', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'causeway-completion-')), 'mcp.json')
  const hostile = ['$(touch PWNED)', '`touch PWNED`', '${HOME}', 'a;b', 'a b', "it's", '*']
  const entries = Object.fromEntries([...hostile, 'good'].map(name => [name, { command: 'x' }]))
  writeFileSync(file, JSON.stringify({ mcpServers: entries }))
  expect(await wordsAfter('servers', '--servers', file, 'logs', '')).toEqual(['good'])
})

test.each([
  ['completion', 'Name one shell. Usage: causeway completion bash|zsh|fish'],
  ['completion bsh', "Unknown action 'bsh'. Did you mean 'bash' or 'zsh'?"],
])('%s', async (line, said) => {
  const { code, stderr } = await runHere(line)
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(said) })
})

const has = (program: string): boolean => spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0

test('the script completes in a real bash', needs('bash', has('bash')), async () => {
  const { stdout } = await runHere('completion bash')
  const script = `causeway() { "${process.execPath}" "${BINARY}" "$@"; }
${stdout}
COMP_WORDS=(causeway inst); COMP_CWORD=1; _causeway 2>/dev/null; echo "\${COMPREPLY[@]}"`
  expect(execFileSync('bash', ['-c', script], { encoding: 'utf8' })).toBe('install\n')
})

test.each(['zsh', 'fish'])('the script for %s names both programs', async shell => {
  const { stdout } = await runHere(`completion ${shell}`)
  for (const part of ['causeway', 'causeway-mcp', 'completion words --']) expect(stdout).toContain(part)
})
