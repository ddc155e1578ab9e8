import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Guardian, MARK } from '@causeway/engine/process'
import { expect, test } from 'vitest'

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
