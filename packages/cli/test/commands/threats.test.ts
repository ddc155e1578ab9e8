import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { threats } from '../../src/commands/threats.ts'

const command = { name: 'threats', usage: 'causeway threats validate [DIR]', about: '', flags: [] }

async function run(...words: readonly string[]): Promise<{ exit: number; out: string; err: string }> {
  const said = { out: '', err: '' }
  const into = (where: keyof typeof said) => (text: string | Uint8Array, sent?: unknown) => {
    said[where] += String(text)
    if (typeof sent === 'function') sent()
    return true
  }
  vi.spyOn(process.stdout, 'write').mockImplementation(into('out'))
  vi.spyOn(process.stderr, 'write').mockImplementation(into('err'))
  const exit = await threats({ command, given: new Map(), isNamed: true, positionals: words })
  return { exit, ...said }
}

afterEach(() => void vi.restoreAllMocks())

test('our own patterns are valid', async () => {
  expect(await run('validate')).toEqual({ exit: 0, out: '43 patterns, 0 errors, 0 warnings\n', err: '' })
})

test('what is wrong in a folder is told, and ends with 1', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'threats-'))
  try {
    await expect(run('validate', folder)).rejects.toThrow(`${folder} holds no YAML files.`)
    await writeFile(join(folder, 'a.yaml'), 'other: 1\n')
    expect(await run('validate', folder)).toEqual({
      exit: 1,
      out: '1 pattern, 1 error, 0 warnings\n',
      err: 'a.yaml: error: must have one key, threat_pattern\n',
    })
  } finally {
    await rm(folder, { recursive: true })
  }
})

test('a folder that cannot be read is a usage error', async () => {
  await expect(run('validate', join(tmpdir(), 'not', 'there'))).rejects.toMatchObject({ name: 'UsageError', exit: 2 })
})

test('anything but validate is a usage error', async () => {
  for (const words of [[], ['check'], ['validate', 'a', 'b']])
    await expect(run(...words)).rejects.toThrow('Usage: causeway threats validate [DIR]')
})
