import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { environment } from '../../../src/support/processes/environment.ts'
import { run } from '../../../src/support/processes/exec.ts'
import { bubblewrap } from '../../../src/support/git/sandbox.ts'
import { createJail } from '../../../src/support/files/jail.ts'
import { everything } from './canary.ts'
import { folder, git, open, repository } from '../place.ts'
import { needs } from '../../../../../test/support/needs.ts'

const sandbox = await bubblewrap(createJail([folder()])).catch((error: unknown) => String(error))
const needsSandbox = needs('bubblewrap', typeof sandbox !== 'string')

test('git works in a sandbox', needsSandbox, async () => {
  const root = repository()
  const said = await everything(open({ roots: [root], sandbox: true }), root)
  expect(said.filter(line => line.includes('FAILED'))).toEqual([])
  expect(git(root, 'status', '--porcelain')).toBe('')
  expect(git(root, 'fsck', '--no-dangling')).toBe('')
})

test('in the sandbox there is nothing outside the roots, and no writing to them', needsSandbox, async () => {
  if (typeof sandbox === 'string') return
  const root = folder({ 'a.txt': 'inside' })
  const outside = folder({ 'secret.txt': 'secret' })
  const inSandbox = async (script: string): Promise<string> => {
    const [program = '', ...args] = sandbox(['/bin/sh', '-c', script], root, { reads: [root], writes: [] })
    return (await run({ program, args, cwd: '/', env: environment() })).stdout.trim()
  }
  expect(await inSandbox('cat a.txt')).toBe('inside')
  expect(await inSandbox(`cat ${outside}/secret.txt || echo gone`)).toBe('gone')
  expect(await inSandbox(`cat /proc/${process.pid}/root${outside}/secret.txt || echo gone`)).toBe('gone')
  expect(await inSandbox('touch new || echo refused')).toBe('refused')
  expect(existsSync(join(root, 'new'))).toBe(false)
})

test('where there is no sandbox, asking for one is an error', async () => {
  const root = repository()
  const path = process.env.PATH
  const away = folder()
  process.env.PATH = away
  try {
    await expect(bubblewrap(createJail([root]))).rejects.toThrow("needs the program 'bwrap'")
  } finally {
    process.env.PATH = path
  }
})
