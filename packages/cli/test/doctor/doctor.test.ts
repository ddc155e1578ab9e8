import { chmodSync, mkdirSync, mkdtempSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { checkNode } from '../../src/doctor/check-machine.ts'
import { BINARY, run } from '../../../../test/support/spawned.ts'

const world = (): { env: Record<string, string>; cwd: string } => {
  const home = mkdtempSync(join(tmpdir(), 'causeway-doctor-'))
  mkdirSync(join(home, 'project'))
  return { env: { HOME: home, XDG_CONFIG_HOME: join(home, '.config') }, cwd: join(home, 'project') }
}

interface Found {
  readonly check: string
  readonly status: string
  readonly message: string
  readonly fix?: string
}
const findingsIn = (stdout: string): readonly Found[] => (JSON.parse(stdout) as { findings: readonly Found[] }).findings

test.each([
  ['20.19.0', 'ok'],
  ['26.0.0', 'ok'],
  ['20.18.3', 'fail'],
  ['18.20.0', 'fail'],
])('Node %s: %s', (version, status) => {
  expect(checkNode(version)).toMatchObject({ check: 'node', status })
})

test('a machine without faults exits with 0 and says what is there', async () => {
  const { env, cwd } = world()
  writeFileSync(
    join(env.HOME ?? '', '.claude.json'),
    JSON.stringify({ mcpServers: { causeway: { command: process.execPath, args: [BINARY, '--preset', 'basics'] } } }),
  )
  const { code, stdout, stderr } = await run(['doctor'], { env, cwd })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(/^ok {4}node {6}Node \d+/m)
  expect(stdout).toMatch(/^ok {4}clients {3}Claude Code \(.*\.claude\.json\): starts, and lists \d+ tools$/m)
  expect(stdout).toMatch(/\n0 failures, 0 warnings\.\n$/)
})

test('every fault is named with what to do, and what is safe is fixed', async () => {
  const { env, cwd } = world()
  const taken = createServer().listen(0, '127.0.0.1')
  await new Promise(resolve => void taken.once('listening', resolve))
  const { port } = taken.address() as AddressInfo
  const tokens = join(cwd, 'tokens')
  writeFileSync(tokens, `ada sha256:${'0'.repeat(64)}\n`)
  chmodSync(tokens, 0o644)
  // A file of the project may be anybody's: nothing of it is run.
  writeFileSync(
    join(cwd, '.mcp.json'),
    JSON.stringify({ mcpServers: { causeway: { command: 'touch', args: ['sprung'] } } }),
  )
  writeFileSync(join(cwd, 'servers.json'), JSON.stringify({ mcpServers: { broken: { command: '/no/such/program' } } }))
  const flags = ['--http', '--port', String(port), '--root', '/no/such/root', '--token-file', tokens]
  const args = ['doctor', '--json', '--fix', ...flags, '--servers', 'servers.json', '--audit', '/no/such/folder/audit']
  const { code, stdout } = await run(args, { env, cwd })
  taken.close()
  expect(code).toBe(1)
  const findings = findingsIn(stdout)
  const failing = findings.filter(({ status }) => status === 'fail')
  expect(failing.map(({ check }) => check).toSorted()).toEqual(['audit', 'port', 'root', 'servers'])
  for (const { message, fix } of failing)
    expect({ message, fix }).toEqual({ message, fix: expect.stringMatching(/^.{5}/) })
  expect(findings).toContainEqual(expect.objectContaining({ check: 'lock', status: 'warn' }))
  expect(findings).toContainEqual(
    expect.objectContaining({ check: 'clients', status: 'warn', message: expect.stringContaining('not started') }),
  )
  expect(() => statSync(join(cwd, 'sprung'))).toThrow('ENOENT')
  expect(findings).toContainEqual(expect.objectContaining({ check: 'tokens', status: 'ok' }))
  expect(statSync(tokens).mode & 0o777).toBe(0o600)
})
