import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { folder, git, open, refusal, repository } from '../place.ts'

test('a file is copied byte for byte, and nothing is overwritten', async () => {
  const bytes = Buffer.from([0, 255, 10, 13])
  const root = folder({ 'a.bin': bytes, 'b.txt': 'b' })
  const client = open({ roots: [root] })
  expect(await client.call('copy_file', { source: 'a.bin', destination: 'new/dir/c.bin' })).toBe(
    'Copied a.bin to new/dir/c.bin (4 bytes)',
  )
  expect(readFileSync(join(root, 'new/dir/c.bin'))).toEqual(bytes)
  await expect(client.call('copy_file', { source: 'a.bin', destination: 'b.txt' })).rejects.toThrow(/exist/i)
  expect(readFileSync(join(root, 'b.txt'), 'utf8')).toBe('b')
  await expect(client.call('copy_file', { source: 'new', destination: 'x' })).rejects.toThrow(/directory/)
  for (const args of [
    { source: '/etc/hostname', destination: 'x' },
    { source: 'a.bin', destination: '../x' },
  ]) {
    await expect(client.call('copy_file', args)).rejects.toThrow('outside')
  }
  await expect(client.call('copy_file', { source: 'a.bin', destination: 'y/.git/hooks/x' })).rejects.toThrow('git')
  expect(existsSync(join(root, 'y'))).toBe(false)
})

test('a directory is deleted when that is confirmed, and links in it lead nowhere', async () => {
  const outside = folder({ 'keep.txt': 'keep' })
  const root = folder({ 'd/x.txt': 'x', 'd/deep/y.txt': 'y' })
  symlinkSync(outside, join(root, 'd/link'))
  const client = open({ roots: [root] })
  const refused = await refusal(client.call('delete_directory', { path: 'd' }))
  expect(refused.code).toBe(-32602)
  expect(refused.message).toContain("'confirm' must be true")
  expect(existsSync(join(root, 'd/x.txt'))).toBe(true)
  expect(await client.call('delete_directory', { path: 'd', confirm: true })).toBe('Deleted d with 4 entries in it')
  expect(existsSync(join(root, 'd'))).toBe(false)
  expect(readFileSync(join(outside, 'keep.txt'), 'utf8')).toBe('keep')
})

test('roots, repositories and files are not deleted that way', async () => {
  const root = repository({ 'sub/a.txt': 'a' })
  mkdirSync(join(root, 'inner'))
  git(join(root, 'inner'), 'init', '--quiet')
  const client = open({ roots: [root, join(root, 'sub')] })
  for (const [path, words] of [
    ['.', /root|git/],
    ['sub', /root/],
    ['.git', /git/],
    ['inner', /git/],
    ['..', /outside/],
  ] as const) {
    await expect(client.call('delete_directory', { path, confirm: true })).rejects.toThrow(words)
  }
  await expect(client.call('delete_directory', { path: 'sub/a.txt', confirm: true })).rejects.toThrow('no directory')
  expect(existsSync(join(root, 'sub/a.txt'))).toBe(true)
})

test.each([
  [true, false, /^Deleted d/],
  [false, true, /did not agree/],
])('where the user can be asked, what they say counts: %s', async (agrees, isThere, words) => {
  const root = folder({ 'd/x.txt': 'x' })
  const asked: string[] = []
  const client = open(
    { roots: [root] },
    {
      client: {
        capabilities: { elicitation: {} },
        answer: request => {
          asked.push(request.method)
          return { action: 'accept', content: { delete: agrees } }
        },
      },
    },
  )
  const said = client.call('delete_directory', { path: 'd', confirm: true })
  expect(await said.catch((error: Error) => error.message)).toMatch(words)
  expect(asked).toEqual(['elicitation/create'])
  expect(existsSync(join(root, 'd'))).toBe(isThere)
})
