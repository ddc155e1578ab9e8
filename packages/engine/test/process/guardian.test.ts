import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Guardian, MARK, reap, signalGroup } from '@causeway/engine/process'
import { expect, test, vi } from 'vitest'
import { needs } from '../../../../test/support/needs.ts'

/** A process that says when it is ready, in a group of its own. */
async function started(script: string, env: Readonly<Record<string, string>> = {}): Promise<ChildProcess> {
  const child = spawn('/bin/sh', ['-c', `${script}; echo ready; while :; do sleep 1; done`], {
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { PATH: process.env.PATH ?? '/usr/bin:/bin', ...env },
  })
  await once(child.stdout, 'data')
  return child
}

const groupOf = ({ pid = 0 }: ChildProcess): number => -pid

test('what is watched ends with the guardian, first asked and then killed, and the folder goes', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'causeway-guardian-'))
  writeFileSync(join(folder, 'socket'), '')
  const guardian = new Guardian({ graceSeconds: 3, folder })
  const polite = await started('trap "exit 7" TERM')
  const deaf = await started('trap "" TERM')
  const released = await started(':')
  const ends = Promise.all([polite, deaf].map(child => once(child, 'exit')))
  guardian.watch(polite.pid)
  guardian.watch(groupOf(deaf))
  guardian.watch(groupOf(released))
  guardian.release(groupOf(released))
  await guardian.close()
  expect(await ends).toEqual([
    [7, null],
    [null, 'SIGKILL'],
  ])
  expect(existsSync(folder)).toBe(false)
  expect(released.exitCode).toBe(null)
  process.kill(groupOf(released), 'SIGKILL')
})

test('what carries a mark ends, wherever it went', async () => {
  const guardian = new Guardian({ graceSeconds: 0 })
  guardian.mark('one')
  guardian.mark('two')
  const [one, two] = [await started(':', { [MARK]: 'one' }), await started(':', { [MARK]: 'two' })]
  guardian.unmark('two')
  expect(guardian.isIdle).toBe(false)
  const end = once(one, 'exit')
  await guardian.close()
  expect(await end).toEqual([null, 'SIGKILL'])
  expect(two.exitCode).toBe(null)
  process.kill(groupOf(two), 'SIGKILL')
})

/** A group, and a process that it started, which left the group and cleared its environment. */
async function withStray(): Promise<{ leader: ChildProcess; stray: number }> {
  const leader = spawn('/bin/sh', ['-c', 'setsid env -i sleep 300 & echo $!; wait'], {
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const [line] = (await once(leader.stdout, 'data')) as [Buffer]
  const stray = Number(String(line))
  await vi.waitFor(() => expect(readFileSync(`/proc/${stray}/cmdline`, 'latin1')).toMatch(/^sleep/), 10_000)
  expect(readFileSync(`/proc/${stray}/environ`, 'latin1')).toBe('')
  return { leader, stray }
}

const isRunning = (pid: number): boolean =>
  existsSync(`/proc/${pid}`) && !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'))

test.each(['SIGTERM', 'SIGKILL'] as const)(
  'what left its group and cleared its environment ends with the group: %s',
  needs('setsid'),
  async signal => {
    const { leader, stray } = await withStray()
    const group = { pid: leader.pid ?? 0 }
    const ended = once(leader, 'exit')
    signalGroup(group, signal)
    await ended
    await reap(group)
    await vi.waitFor(() => expect(isRunning(stray)).toBe(false))
  },
)

test('and with the guardian', needs('setsid'), async () => {
  const { leader, stray } = await withStray()
  const guardian = new Guardian({ graceSeconds: 0 })
  guardian.watch(groupOf(leader))
  await guardian.close()
  await vi.waitFor(() => expect(isRunning(stray)).toBe(false))
})
